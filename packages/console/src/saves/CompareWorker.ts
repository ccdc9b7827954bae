import type { CompareAnswer, CompareAsked } from "../compare.ts"

/** A comparison that takes longer is given up: two saves of the greatest size take a few seconds. */
const longestMs = 30_000

const fileName = (): string =>
  document.querySelector('meta[name="atrium-compare"]')?.getAttribute("content") ?? ""

/** The part of `globalThis.trustedTypes` that this file uses; TypeScript's DOM library does not declare it. */
interface TypePolicies {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: () => string }
  ): { createScriptURL(address: string): string }
}

/** The only policy of this page. It gives one address, whatever it is asked. Source: C-776. */
const makeAddress = (): (() => string) => {
  const address = `/console/files/${fileName()}`
  const policies: TypePolicies | undefined = Reflect.get(globalThis, "trustedTypes")
  const policy = policies?.createPolicy("atrium-worker", { createScriptURL: () => address })
  return () => policy?.createScriptURL(address) ?? address
}

let trusted: (() => string) | null = null

/**
 * Compares two saves in a thread of its own, so that the page stays quick.
 *
 * @param signal ends the comparison, and then there is no answer
 */
export const compareInWorker = (
  asked: CompareAsked,
  signal: AbortSignal
): Promise<CompareAnswer> => {
  trusted ??= makeAddress()
  const worker = new Worker(trusted(), { type: "module" })
  const { promise, resolve } = Promise.withResolvers<CompareAnswer>()
  const refuse = (why: string): void => resolve({ _tag: "Unreadable", why })
  const timer = setTimeout(() => refuse("The comparison takes too long."), longestMs)
  worker.addEventListener("message", ({ data }: MessageEvent<CompareAnswer>) => resolve(data))
  worker.addEventListener("error", () => refuse("The comparison has failed: reload the page."))
  signal.addEventListener("abort", () => refuse("The page has been left."))
  worker.postMessage(asked)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}
