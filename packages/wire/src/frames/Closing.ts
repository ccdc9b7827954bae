import { type CloseCode, CloseCodes } from "./CloseCode.ts"

const rows: ReadonlyArray<CloseCode> = Object.values(CloseCodes)

/** The close code that goes with a refusal; what has none of its own is the room's own refusal. */
export const closeCodeOf = (code: string): CloseCode =>
  rows.find((row) => row.name === code) ?? CloseCodes.refused

/** The first close code of a number; `undefined` for a number that the service never sends. */
export const closeCodeOfNumber = (code: number): CloseCode | undefined =>
  rows.find((row) => row.code === code)

/** Tells whether a client may reconnect after a close; an unknown code (a lost network) may. */
export const mayReconnect = (code: number): boolean => closeCodeOfNumber(code)?.client !== "stop"
