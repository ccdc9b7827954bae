import * as nodeModule from "node:module"
import { isAbsolute, join } from "node:path"

/**
 * Keeps what V8 has compiled of the command for its next start. The folder is the user's own: V8 runs what it finds
 * there, so it is not one below a folder for everybody, as Node's own choice is. Source: C-367.
 */
export const keepCompiled = (env: NodeJS.ProcessEnv): void => {
  const folder = compiledFolder(env)
  if (folder === null) return
  // Node 20 has no such cache.
  nodeModule.enableCompileCache?.(folder)
}

/** Below `XDG_CACHE_HOME` or `~/.cache`; `null` = no home is known, or the environment names a folder to Node itself. */
export const compiledFolder = (env: NodeJS.ProcessEnv): string | null => {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME = "", HOME = "" } = env
  if (NODE_COMPILE_CACHE !== undefined) return null
  if (isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, "atrium", "compiled")
  return isAbsolute(HOME) ? join(HOME, ".cache", "atrium", "compiled") : null
}
