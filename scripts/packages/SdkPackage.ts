import { join } from "node:path"

import { emitModules } from "./Emitted.ts"
import { shortenTables } from "./LimitRows.ts"
import { writeManifest } from "./Manifest.ts"
import { workspaceOf } from "./Places.ts"

/** What a game imports; the other exports of the workspace are for the command beside it. */
export const publicModules = [
  "account",
  "bundle",
  "client",
  "leaderboard",
  "match",
  "migration",
  "physics",
  "predict",
  "presence",
  "react",
  "replay",
  "room",
  "rooms",
  "runtime",
  "saves",
  "schema",
  "testing",
  "voice"
]

const platforms = {
  WebSocket: { node: "platform/NodeWebSocket", default: "platform/GlobalWebSocket" },
  Zstd: { node: "platform/NodeZstd", default: "platform/GlobalZstd" }
} as const

/** `@atrium/sdk`: compiled modules. */
export const makeSdk = async (folder: string, staging: string): Promise<void> => {
  const sources = [...Object.values(workspaceOf("sdk").exports), ...platformSources]
  const files = [...sources.map((path) => `packages/sdk/${path}`), `packages/${trustedSchema}`]
  const dist = join(folder, "dist")
  emitModules({ files, into: dist, staging })
  await shortenTables(dist)
  const exported = publicModules.map((name) => {
    const [types, code] = [`./dist/sdk/${name}.d.ts`, `./dist/sdk/${name}.js`]
    return [`./${name}`, { types, default: code }] as const
  })
  writeManifest("sdk", {
    folder,
    dependencies: ["esbuild"],
    more: {
      sideEffects: false,
      files: ["dist"],
      imports: platformImports("./dist"),
      exports: { ...Object.fromEntries(exported), "./package.json": "./package.json" },
      // Node 20 has no WebSocket of its own. React is for the module of its name alone.
      peerDependencies: { react: ">=18", ws: "^8.0.0" },
      peerDependenciesMeta: { react: { optional: true }, ws: { optional: true } }
    }
  })
}

const platformSources = Object.values(platforms)
  .flatMap((paths) => Object.values(paths))
  .map((path) => `./src/${path}.ts`)

/** Only imported by a name that differs from platform to platform. */
const trustedSchema = "wire/src/schema/TrustedSchema.ts"

/**
 * What the modules find by the platform, in a package that has the compiled ones in this folder: the client its
 * WebSocket, a replay its zstd, and schemas their checks. Source: C-344, C-660.
 */
export const platformImports = (folder: string) => ({
  "#platform/WebSocket": {
    node: `${folder}/sdk/${platforms.WebSocket.node}.js`,
    default: `${folder}/sdk/${platforms.WebSocket.default}.js`
  },
  "#platform/Zstd": {
    node: `${folder}/sdk/${platforms.Zstd.node}.js`,
    default: `${folder}/sdk/${platforms.Zstd.default}.js`
  },
  "#schema/SchemaChecks": {
    development: `${folder}/wire/schema/SchemaChecks.js`,
    browser: `${folder}/wire/schema/TrustedSchema.js`,
    default: `${folder}/wire/schema/SchemaChecks.js`
  }
})
