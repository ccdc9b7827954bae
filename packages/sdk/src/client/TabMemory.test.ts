import { afterEach, expect, test, vi } from "vitest"

import { tabMemory } from "./TabMemory.ts"

const storageOf = (stored: Map<string, string>) => ({
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, text: string) => void stored.set(name, text)
})

/** The module as a page has it that was just loaded. */
const freshPage = async (): Promise<typeof tabMemory> => {
  vi.resetModules()
  return (await import("./TabMemory.ts")).tabMemory
}

afterEach(() => vi.unstubAllGlobals())

test("[C-123] outside of a browser nothing is kept, as one process may be many players", () => {
  vi.stubGlobal("sessionStorage", storageOf(new Map()))
  expect(tabMemory()).toBeNull()
})

test("[C-123] each Client of a page has its own, and the same when the page is loaded again", async () => {
  vi.stubGlobal("document", {})
  vi.stubGlobal("sessionStorage", storageOf(new Map()))
  const before = await freshPage()
  const [one, two] = [before(), before()]
  one?.keep("a", "1")
  two?.keep("a", "2")
  const after = await freshPage()
  expect([after()?.kept("a"), after()?.kept("a"), after()?.kept("a")]).toEqual(["1", "2", null])
})

test("[C-123] a page that may store nothing, or no more, goes on without", () => {
  vi.stubGlobal("document", {})
  vi.stubGlobal("sessionStorage", {
    ...storageOf(new Map()),
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError")
    }
  })
  const memory = tabMemory()
  memory?.keep("a", "1")
  expect(memory?.kept("a")).toBeNull()
  vi.unstubAllGlobals()
  vi.stubGlobal("document", {})
  const denied = vi.spyOn(globalThis, "sessionStorage", "get").mockImplementation(() => {
    throw new DOMException("denied", "SecurityError")
  })
  expect(tabMemory()).toBeNull()
  denied.mockRestore()
})
