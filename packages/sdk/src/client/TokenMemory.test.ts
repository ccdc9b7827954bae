import { afterEach, describe, expect, test, vi } from "vitest"

import { identityTokens } from "./Identity.ts"
import { FakeTime } from "./testing/FakeTime.ts"
import { browserMemory, tabMemory, type TokenMemory } from "./TokenMemory.ts"

const storageOf = (stored: Map<string, string>) => ({
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, text: string) => void stored.set(name, text)
})

let pages = 0

/** The module as a page has it that was just loaded. */
const freshPage = (): Promise<{
  readonly browserMemory: typeof browserMemory
  readonly tabMemory: typeof tabMemory
}> => import(`./TokenMemory.ts?page=${++pages}`)

const inBrowser = (): void => {
  vi.stubGlobal("document", {})
  vi.stubGlobal("sessionStorage", storageOf(new Map()))
  vi.stubGlobal("localStorage", storageOf(new Map()))
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe("memory", () => {
  test("[C-123] outside of a browser nothing is kept, as one process may be many players", () => {
    vi.stubGlobal("sessionStorage", storageOf(new Map()))
    vi.stubGlobal("localStorage", storageOf(new Map()))
    expect([tabMemory(), browserMemory()]).toEqual([null, null])
  })

  test("[C-123] each Client of a page has its own of the tab, and the same after a reload", async () => {
    inBrowser()
    const before = await freshPage()
    const [one, two] = [before.tabMemory(), before.tabMemory()]
    one?.keep("a", "1")
    two?.keep("a", "2")
    const after = await freshPage()
    const kept = [1, 2, 3].map(() => after.tabMemory()?.kept("a"))
    expect(kept).toEqual(["1", "2", null])
    expect(after.browserMemory()?.kept("a")).toBeNull()
  })

  test("[C-223] every Client of every page has that of the browser, also after the tab", async () => {
    inBrowser()
    const before = await freshPage()
    before.browserMemory()?.keep("a", "1")
    expect(before.browserMemory()?.kept("a")).toBe("1")
    vi.stubGlobal("sessionStorage", storageOf(new Map()))
    const after = await freshPage()
    expect([after.browserMemory()?.kept("a"), after.tabMemory()?.kept("a")]).toEqual(["1", null])
  })

  test.each(["localStorage", "sessionStorage"] as const)(
    "[C-123] [C-223] a page that may store nothing in %s, or no more, goes on without",
    (name) => {
      const memoryOf = name === "localStorage" ? browserMemory : tabMemory
      vi.stubGlobal("document", {})
      vi.stubGlobal(name, {
        ...storageOf(new Map()),
        setItem: () => {
          throw new DOMException("full", "QuotaExceededError")
        }
      })
      const memory = memoryOf()
      memory?.keep("a", "1")
      expect(memory?.kept("a")).toBeNull()
      vi.stubGlobal(name, {
        getItem: () => {
          throw new DOMException("denied", "SecurityError")
        }
      })
      expect(memoryOf()?.kept("a")).toBeNull()
      vi.unstubAllGlobals()
      vi.stubGlobal("document", {})
      vi.spyOn(globalThis, name, "get").mockImplementation(() => {
        throw new DOMException("denied", "SecurityError")
      })
      expect(memoryOf()).toBeNull()
    }
  )
})

describe("identity", () => {
  const memory = (stored = new Map<string, string>()): TokenMemory & { readonly size: number } => ({
    kept: (name) => stored.get(name) ?? null,
    keep: (name, text) => void stored.set(name, text),
    get size() {
      return [...stored.values()].filter((text) => text !== "").length
    }
  })
  let minted = 0
  /** A page whose tab and browser remember that much; its tokens live a minute. */
  const page = (
    kept: { readonly browser?: TokenMemory | null; readonly tab?: TokenMemory | null },
    scope?: "browser" | "tab"
  ): ReturnType<typeof identityTokens> => {
    const time = new FakeTime()
    const port = time.port({
      fetch: async () => {
        const token = `token-${++minted}`
        // Another tab may be as far as this one before either answer is there.
        await Promise.resolve()
        return Response.json({ token, expiresAt: new Date(60_000).toISOString() }, { status: 201 })
      },
      ...kept
    })
    return identityTokens(port, "http://rooms.example", { scope: scope ?? "browser", device: null })
  }

  test("[C-223] tabs of a browser are one player, also those that start at once", async () => {
    const browser = memory()
    const tabs = [1, 2, 3].map(() => page({ browser, tab: memory() }))
    const tokens = await Promise.all(tabs.map((tab) => tab.token({ project: "dev" })))
    expect(new Set(tokens).size).toBe(1)
    expect(await page({ browser, tab: memory() }).token({ project: "dev" })).toBe(tokens[0])
    expect(await page({ browser, tab: memory() }).token({ project: "other" })).not.toBe(tokens[0])
  })

  test("[C-223] `tab` is a player per tab, and nothing of the browser's", async () => {
    const [browser, tab] = [memory(), memory()]
    const one = await page({ browser, tab }, "tab").token({ project: "dev" })
    expect(await page({ browser, tab }, "tab").token({ project: "dev" })).toBe(one)
    expect(await page({ browser, tab: memory() }, "tab").token({ project: "dev" })).not.toBe(one)
    expect(browser.size).toBe(0)
  })

  test("[C-223] a browser that keeps nothing for long keeps it for the tab, or plays without", async () => {
    const tab = memory()
    const one = await page({ browser: null, tab }).token({ project: "dev" })
    expect(await page({ browser: null, tab }).token({ project: "dev" })).toBe(one)
    const bare = page({ browser: null, tab: null })
    expect(await bare.token({ project: "dev" })).toBe(await bare.token({ project: "dev" }))
  })

  test("[C-223] a tab whose token was refused takes the newer token of another tab", async () => {
    const browser = memory()
    await page({ browser }).token({ project: "dev" })
    const [one, two] = [page({ browser }), page({ browser })]
    const refused = [await one.token({ project: "dev" }), await two.token({ project: "dev" })]
    expect(refused[0]).toBe(refused[1])
    expect(await one.forgetRestored({ project: "dev" })).toBe(true)
    const renewed = await one.token({ project: "dev" })
    expect(renewed).not.toBe(refused[0])
    expect(await two.forgetRestored({ project: "dev" })).toBe(true)
    expect(await two.token({ project: "dev" })).toBe(renewed)
  })
})
