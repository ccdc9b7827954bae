import { randomBytes } from "node:crypto"

import type { Codecs } from "../codec/Codecs.ts"

const hex = (bytes: number): string => randomBytes(bytes).toString("hex")

/**
 * Reads in any answer whatever a check needs to go on: so that it comes to its assertions, and not
 * to an end because nothing can be made.
 */
export const fauxCodecs: Partial<Codecs> = {
  projectId: () => `p_${hex(8)}`,
  minted: () => ({ keyId: `key_${hex(8)}`, secret: `fx_${randomBytes(32).toString("base64url")}` }),
  joinSecret: () => `js_${randomBytes(32).toString("base64url")}`
}
