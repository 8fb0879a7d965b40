// What browsers, Node, tests and bundlers provide to every file, with unknown types.
declare module "*.vue" { const c: any; export default c; }
declare module "*.svelte" { const c: any; export default c; }
declare module "*.astro" { const c: any; export default c; }
declare module "*.svg"; declare module "*.png"; declare module "*.jpg"; declare module "*.jpeg"; declare module "*.webp";
declare module "*.gif"; declare module "*.ico"; declare module "*.css"; declare module "*.scss"; declare module "*.sass";
declare module "*.less"; declare module "*.md"; declare module "*.mdx"; declare module "*.html"; declare module "*.gql";
declare module "*.graphql"; declare module "*.wasm"; declare module "*.txt"; declare module "*.yml"; declare module "*.yaml";
declare module "*.mp3"; declare module "*.woff"; declare module "*.woff2"; declare module "*.ttf";
declare module "*?raw"; declare module "*?url"; declare module "*?worker";
declare namespace JSX {
  type Element = any; type ElementType = any;
  interface IntrinsicElements { [k: string]: any }
  interface ElementChildrenAttribute { children: {} }
  interface IntrinsicAttributes { [k: string]: any }
}
declare var before: any, after: any, context: any, process: any, require: any, module: any, exports: any, Buffer: any,
  __dirname: any, __filename: any, global: any, describe: any, it: any, test: any, expect: any, beforeEach: any,
  afterEach: any, beforeAll: any, afterAll: any, jest: any, vi: any, cy: any, Cypress: any;
declare type Buffer = any;
declare namespace NodeJS {
  type Timeout = any; type Timer = any; type ReadableStream = any; type WritableStream = any;
  interface ProcessEnv { [k: string]: any }
  type ErrnoException = any;
}
interface ImportMeta { env: any; glob: any; hot: any; url: string; dirname: string; filename: string; }
