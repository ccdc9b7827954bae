import { codingWeights } from "../http/CodingWeights.ts"

/** Whether a client takes zstd; one that names no coding may be of any age. Source: RFC 9110, section 12.5.3. */
export const acceptsZstd = (header: string | undefined): boolean => {
  const weights = codingWeights(header)
  return (weights.get("zstd") ?? 0) > 0
}
