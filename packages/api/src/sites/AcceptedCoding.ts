import { Codings, type Coding } from "@atrium/actors/sites/SiteContent"

import { codingWeights } from "../http/CodingWeights.ts"

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
  const weights = codingWeights(header)
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
