import { shapeOf } from "../families/Shape.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import { rowOf } from "./Section.ts"

export const isOk = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300

/** HEAD has no body, and a preflight needs none. */
export const hasBody = ({ request, status }: HttpAnswer): boolean =>
  request.method !== "HEAD" && request.method !== "OPTIONS" && status !== 204 && status !== 304

// Fields beyond those that are shown are for the checks that say whose choice they are.
export const shapeFault = (id: string) => {
  const { exact: _, ...row } = rowOf("shape", id)
  return shapeOf(row)
}

/** Path and body of a request, as text: everything but its credential. */
export const sentWith = ({ request: { path, body } }: HttpAnswer): string =>
  body === undefined || body instanceof Uint8Array
    ? path
    : `${path} ${typeof body === "string" ? body : JSON.stringify(body)}`
