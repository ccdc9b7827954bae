import { expect, it } from "vitest"

import { compiledFolder } from "./CompileCache.ts"

it.each([
  [{ XDG_CACHE_HOME: "/cache", HOME: "/home/ann" }, "/cache/atrium/compiled"],
  [{ HOME: "/home/ann" }, "/home/ann/.cache/atrium/compiled"],
  [{ XDG_CACHE_HOME: "cache", HOME: "/home/ann" }, "/home/ann/.cache/atrium/compiled"],
  [{ XDG_CACHE_HOME: "", HOME: "home" }, null],
  [{}, null],
  [{ NODE_COMPILE_CACHE: "/own", HOME: "/home/ann" }, null]
])("[C-367] with %j, compiled code is kept in %s", (env, folder) => {
  expect(compiledFolder(env)).toBe(folder)
})
