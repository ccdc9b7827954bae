import { createRequire } from "node:module"

/** Node's own WebSocket; on Node 20, which has none, that of the package `ws` where it is installed. */
export const platformWebSocket = (): typeof globalThis.WebSocket | undefined =>
  globalThis.WebSocket ?? wsPackage()

const wsPackage = (): typeof globalThis.WebSocket | undefined => {
  try {
    return createRequire(import.meta.url)("ws")
  } catch {
    return undefined
  }
}
