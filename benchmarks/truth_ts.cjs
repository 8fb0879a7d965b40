// Which script imports which, as TypeScript resolves it: NODE_PATH=.../node_modules node truth_ts.cjs ROOT OUT.json
// Every import that ts.preProcessFile finds, resolved by ts.resolveModuleName under the options of the nearest tsconfig.json.
const fs = require("fs");
const path = require("path");
const ts = require("typescript");

const root = fs.realpathSync(process.argv[2]);
const sources = /\.(ts|tsx|mts|js|mjs|jsx)$/;
const known = new Map();

function* walk(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules" && entry.name !== ".git") yield* walk(full);
    else if (entry.isFile() && sources.test(entry.name)) yield full;
  }
}

function options(folder) {
  if (known.has(folder)) return known.get(folder);
  let found = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const config = ts.findConfigFile(folder, ts.sys.fileExists);
  if (config && config.startsWith(root + path.sep)) {
    const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} };
    found = { ...found, ...ts.getParsedCommandLineOfConfigFile(config, {}, host)?.options };
  }
  if (found.moduleResolution === ts.ModuleResolutionKind.Classic) found.moduleResolution = ts.ModuleResolutionKind.Bundler;
  known.set(folder, { ...found, allowJs: true });
  return known.get(folder);
}

const edges = new Map();
for (const file of walk(root)) {
  const from = path.relative(root, file);
  for (const item of ts.preProcessFile(fs.readFileSync(file, "utf8"), true, true).importedFiles) {
    const hit = ts.resolveModuleName(item.fileName, file, options(path.dirname(file)), ts.sys).resolvedModule;
    if (!hit || !fs.existsSync(hit.resolvedFileName)) continue;
    const to = path.relative(root, fs.realpathSync(hit.resolvedFileName));
    if (to.startsWith("..") || to.includes("node_modules") || to === from) continue;
    edges.set(`${from}\0${to}`, [from, to]);
  }
}
fs.writeFileSync(process.argv[3], JSON.stringify({ edges: [...edges.values()], known: null }));
