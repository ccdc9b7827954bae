import { Mismatch } from "../check/Expect.ts"
import { defaultCodecs } from "../codec/DefaultCodecs.ts"

/** A fake trial with the parts that families need, on its own clock. */
export const testTrial = ({ strict = true }: { readonly strict?: boolean } = {}) => {
  let nowMs = 1_000_000
  const deviations: Array<string> = []
  return {
    codecs: defaultCodecs,
    seed: 7,
    signal: new AbortController().signal,
    note: () => undefined,
    chosen: (decision: string, assert: () => void): void => {
      try {
        assert()
      } catch (cause) {
        if (!(cause instanceof Mismatch) || strict) throw cause
        deviations.push(decision)
      }
    },
    deviations,
    nowMs: () => nowMs,
    control: {
      hold: () => Promise.resolve(),
      advance: (ms: number) => {
        nowMs += ms
        return Promise.resolve(nowMs)
      }
    }
  }
}

/** The first line of the mismatch that a check ends with; null = it passes. */
export const verdictOf = async (check: Promise<void>): Promise<string | null> => {
  try {
    await check
    return null
  } catch (cause) {
    if (cause instanceof Mismatch) return cause.what
    throw cause
  }
}

/** The eight groups of an address however it is written; an IPv4 address has those of its IPv6 form. */
export const groupsOf = (address: string): ReadonlyArray<string> => {
  const text = address.includes(":") ? address : `::ffff:${address}`
  const [before = "", behind] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::")
  const [first, last] = [before, behind ?? ""].map((side) => side.split(":").filter(Boolean))
  const zeros = Array.from({ length: 8 - (first?.length ?? 0) - (last?.length ?? 0) }, () => "0")
  return [...(first ?? []), ...zeros, ...(last ?? [])]
}
