import { CloseCodes, type CloseCode } from "@atrium/wire/frames/CloseCode"
import { nearestName } from "@atrium/wire/schema/UnknownKey"

import * as Refusals from "../shared/Refusal.ts"
import { clientCodes } from "./ClientCodes.ts"
import type { CodeText } from "./CodeText.ts"
import { httpCodes } from "./HttpCodes.ts"
import { roomCodes } from "./RoomCodes.ts"

/** Every code of Atrium with its explanation, in the order of the guide. */
export const codeTexts: ReadonlyMap<string, CodeText> = new Map<string, CodeText>([
  ...Object.entries(httpCodes),
  ...Object.entries(roomCodes),
  ...Object.entries(clientCodes),
  [
    CloseCodes.normal.name,
    {
      means: "The connection ended as somebody wanted: the client left, or the room let it go.",
      why: "The client called leave(), or room code ended the client's stay.",
      next: "Nothing."
    }
  ]
])

/** The HTTP status of each code that the API answers with. */
export const statuses: ReadonlyMap<string, number> = new Map(
  Object.values(Refusals).flatMap(({ identifier, ast }) => {
    const status = ast.annotations?.["httpApiStatus"]
    return typeof status === "number" ? [[identifier, status] as const] : []
  })
)

const closes: ReadonlyArray<CloseCode> = Object.values(CloseCodes)

/** A code, its explanation, and where it appears. */
export interface Explained extends CodeText {
  readonly code: string
  /** The status of the HTTP answer that carries it; `null` = no answer does. */
  readonly status: number | null
  /** The WebSocket close code that goes with it; `null` = it ends no connection. */
  readonly closeCode: number | null
  /** What a client does after that close; `null` = it ends no connection. */
  readonly client: CloseCode["client"] | null
}

/** All codes, in the order of the guide. */
export const allExplained = (): ReadonlyArray<Explained> =>
  [...codeTexts].map(([code, text]) => explainedOf(code, text))

/**
 * The explanation of a code: as it is written, in lower case, without `E_`, or as the number of a
 * WebSocket close, which some codes share.
 *
 * @returns the explanations; a text = the code that was most likely meant; `null` = none is near
 */
export const explain = (asked: string): ReadonlyArray<Explained> | string | null => {
  const closed = closes.filter(({ code }) => String(code) === asked).map(({ name }) => name)
  if (closed.length > 0) return allExplained().filter(({ code }) => closed.includes(code))
  const bare = asked.toUpperCase().replaceAll("-", "_")
  const code = bare.startsWith("E_") ? bare : `E_${bare}`
  const text = codeTexts.get(code)
  return text === undefined ? nearestName(code, [...codeTexts.keys()]) : [explainedOf(code, text)]
}

const explainedOf = (code: string, text: CodeText): Explained => {
  const close = closes.find(({ name }) => name === code)
  return {
    code,
    ...text,
    status: statuses.get(code) ?? null,
    closeCode: close?.code ?? null,
    client: close?.client ?? null
  }
}
