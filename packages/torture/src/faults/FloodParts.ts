import type { RateLimit } from "@atrium/wire/limits/Limit"

let addresses = 0
/** An address that nobody had before. A service that trusts this machine's proxies takes it from `x-forwarded-for`. */
export const newAddress = (): string => {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** As many as a rate lets through in this time, and no more. */
export const mostOf = (
  { burst, tokens, everyMs }: Pick<RateLimit, "burst" | "tokens" | "everyMs">,
  seconds: number
): number => burst + Math.ceil((seconds * 1000 * tokens) / everyMs)

/** Asks so many times, so many at once. @returns how often each status came, and the seconds that it took */
export const floodOf = async (
  { requests, lanes }: { readonly requests: number; readonly lanes: number },
  ask: (nth: number) => Promise<number>
): Promise<{ readonly counts: ReadonlyMap<number, number>; readonly seconds: number }> => {
  const counts = new Map<number, number>()
  const beganMs = performance.now()
  let asked = 0
  const lane = async (): Promise<void> => {
    while (asked < requests) {
      const status = await ask(asked++)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { counts, seconds: (performance.now() - beganMs) / 1000 }
}
