/** What an answer of an S3 says of its request. */
export type S3Outcome =
  | { readonly _tag: "Done" }
  /** Nothing has this name. */
  | { readonly _tag: "Missing" }
  /** The same request may succeed later. */
  | { readonly _tag: "Again"; readonly why: string }
  | { readonly _tag: "Refused"; readonly why: string }

/** Codes of refusals that pass by themselves although their status is not 5xx. */
const passing = new Set(["RequestTimeout", "SlowDown", "OperationAborted", "InternalError"])

/** The code of an S3's error; empty = it gives none. Other parts of the answer may repeat a credential. */
const s3CodeOf = (text: string): string => {
  const [code = ""] = text.includes("<Error>") ? elementsOf(text, "Code") : []
  return /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : ""
}

/**
 * @param text of the answer, where it is not the bytes of an object
 */
export const s3Outcome = (status: number, text: string): S3Outcome => {
  const code = s3CodeOf(text)
  const why = code === "" ? String(status) : `${status} ${code}`
  if (status === 404 && (code === "" || code === "NoSuchKey")) return { _tag: "Missing" }
  if (status === 429 || status >= 500 || passing.has(code)) return { _tag: "Again", why }
  // The end of an upload in parts may fail after its status was sent.
  if (status >= 200 && status < 300 && code === "") return { _tag: "Done" }
  return { _tag: "Refused", why }
}

/** The text of each such element. Names and ids of ours hold no character that XML writes in another way. */
export const elementsOf = (text: string, name: string): ReadonlyArray<string> => {
  const [open, close] = [`<${name}>`, `</${name}>`]
  const found: Array<string> = []
  for (let at = text.indexOf(open); at >= 0;) {
    const from = at + open.length
    const end = text.indexOf(close, from)
    if (end < 0) break
    const inner = text.slice(from, end)
    if (inner !== "" && !/[<>&]/.test(inner)) found.push(inner)
    at = text.indexOf(open, end)
  }
  return found
}
