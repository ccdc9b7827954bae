import { Codings, type Coding } from "@atrium/actors/sites/SiteContent"

import { listed } from "../http/ListHeader.ts"

/** How much a client wants each coding, from 0 to 1. */
const weightsOf = (header: string | undefined): ReadonlyMap<string, number> =>
  new Map(
    listed(header?.toLowerCase()).map((member) => {
      const [coding = "", ...parameters] = member.split(";").map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      const value = weight === undefined ? 1 : Number(weight.slice(2))
      return [coding, value >= 0 && value <= 1 ? value : 0]
    })
  )

/**
 * The coding in which a file is sent: the one that the client wants most of those that are stored, and of
 * equals the smallest. Source: RFC 9110, section 12.5.3.
 *
 * @param stored the codings of the file beside `identity`
 */
export const acceptedCoding = (
  header: string | undefined,
  stored: ReadonlyArray<Coding>
): Coding => {
  const weights = weightsOf(header)
  const other = weights.get("*") ?? 0
  let [best, most]: readonly [Coding, number] = ["identity", weights.get("identity") ?? 0]
  for (const coding of Codings) {
    if (!stored.includes(coding)) continue
    const weight = weights.get(coding) ?? other
    if (weight > 0 && weight >= most && (best === "identity" || weight > most)) {
      best = coding
      most = weight
    }
  }
  return best
}
