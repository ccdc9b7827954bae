import { clientCodes } from "@atrium/domain/codes/ClientCodes"
import type { CodeText } from "@atrium/domain/codes/CodeText"
import { httpCodes } from "@atrium/domain/codes/HttpCodes"
import { roomCodes } from "@atrium/domain/codes/RoomCodes"

const texts = new Map<string, CodeText>([
  ...Object.entries(httpCodes),
  ...Object.entries(roomCodes),
  ...Object.entries(clientCodes)
])

/** The explanation of a code, the words of `atrium explain`. A newer service has codes that this page does not know. */
export const textOf = (code: string): CodeText =>
  texts.get(code) ?? {
    means: "This page does not know the code: the service has another version.",
    why: "A newer service may have codes that an older page lacks.",
    next: "Reload the page."
  }
