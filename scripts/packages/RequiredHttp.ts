import type { Plugin } from "esbuild"

/**
 * Lets a bundled program require `node:http`. An import of it reads each export of the module, and those of WebSocket
 * load undici: 50 ms of processor time at each start. The program's banner defines `require`.
 */
export const requiredHttp: Plugin = {
  name: "required-http",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "node:http", namespace: "required-http" } : undefined
    )
    onLoad({ filter: /.*/, namespace: "required-http" }, () => ({
      contents: 'module.exports = require("node:http")',
      loader: "js"
    }))
  }
}
