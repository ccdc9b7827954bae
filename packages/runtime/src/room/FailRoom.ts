import { cutLogLine } from "@atrium/wire/text/LogLine"

import { Reports } from "../host/RoomReports.ts"
import type { RuntimePort } from "../host/RuntimePort.ts"
import { messageOf, stackOf } from "./ErrorText.ts"

/** Gives up: the code or the state is at fault, so that another start would fail in the same way. */
export const failRoom = (port: RuntimePort, error: unknown): void => {
  port.send(Reports.failed(cut(messageOf(error)), cut(stackOf(error))))
  port.end()
}

const cut = (text: string): string => cutLogLine(text).toWellFormed()
