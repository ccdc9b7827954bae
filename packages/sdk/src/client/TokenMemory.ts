/** Where a browser keeps tokens for pages that are loaded later. A name that was not kept is `null`. */
export interface TokenMemory {
  kept(name: string): string | null
  keep(name: string, text: string): void
}

/**
 * Memory that all pages of one origin share in this browser. `null` outside of browsers, where one process
 * may be many players, and where the page may store nothing. Source: C-223.
 */
export const browserMemory = (): TokenMemory | null => memoryIn("localStorage", "atrium ")

let clients = 0

/**
 * Memory that outlives a reload of this tab, for one more Client of this page. The first Client after a
 * reload gets the memory of the first one before it, and so on. Source: C-123.
 */
export const tabMemory = (): TokenMemory | null =>
  memoryIn("sessionStorage", `atrium ${++clients} `)

const memoryIn = (name: "localStorage" | "sessionStorage", prefix: string): TokenMemory | null => {
  const storage = storageHere(name)
  if (storage === null) return null
  return {
    kept: (key) => orNull(() => storage.getItem(prefix + key)),
    // It may be full: the next page asks for another token.
    keep: (key, text) => void orNull(() => storage.setItem(prefix + key, text))
  }
}

/** A page may be forbidden to store anything: then to name a storage throws. */
const storageHere = (name: "localStorage" | "sessionStorage"): Storage | null =>
  "document" in globalThis ? orNull(() => globalThis[name]) : null

const orNull = <A>(read: () => A): A | null => {
  try {
    return read()
  } catch {
    return null
  }
}
