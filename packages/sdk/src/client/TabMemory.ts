/** What outlives a reload of a browser's tab. Another tab, or another Client of the page, has its own. */
export interface TabMemory {
  kept(name: string): string | null
  keep(name: string, text: string): void
}

let clients = 0

/**
 * The memory of one more Client of this page, the first the first's and so on; none outside of
 * browsers, where one process may be many players. Source: C-123.
 */
export const tabMemory = (): TabMemory | null => {
  const storage = sessionStorageHere()
  if (storage === null) return null
  const prefix = `atrium ${++clients} `
  return {
    kept: (name) => storage.getItem(prefix + name),
    keep: (name, text) => {
      try {
        storage.setItem(prefix + name, text)
      } catch {
        // It is full: the next page asks for another token.
      }
    }
  }
}

/** A page may be forbidden to store anything: then to name it throws. */
const sessionStorageHere = (): Storage | null => {
  try {
    return "document" in globalThis ? globalThis.sessionStorage : null
  } catch {
    return null
  }
}
