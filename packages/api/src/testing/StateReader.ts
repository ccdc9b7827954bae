import type { RoomStateLook } from "@atrium/domain/inspect/InspectApi"
import { readSave } from "@atrium/sdk/saves"
import { expect } from "vitest"

import { probe } from "./rooms/probeSchema.ts"
import type { RunningService } from "./RunningService.ts"

/** The looks at a room's state, as they come. */
export interface StateReader {
  readonly looks: ReadonlyArray<RoomStateLook>
  readonly ended: Promise<void>
  readonly close: () => void
}

/** Follows the state of a room. Source: C-770. */
export const followState = async (
  { url, token, project }: Pick<RunningService, "url" | "token" | "project">,
  roomId: string
): Promise<StateReader> => {
  const stop = new AbortController()
  const response = await fetch(`${url}/v1/projects/${project}/rooms/${roomId}/state`, {
    signal: stop.signal,
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" }
  })
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/event-stream"
  ])
  const looks: Array<RoomStateLook> = []
  const read = async (): Promise<void> => {
    let text = ""
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const parts = text.split("\n\n")
      text = parts.pop() ?? ""
      for (const part of parts) {
        const [, data] = /^event: state\ndata: (.*)$/.exec(part) ?? []
        if (data !== undefined) looks.push(JSON.parse(data))
      }
    }
  }
  return { looks, ended: read().catch(() => undefined), close: () => stop.abort() }
}

/** What the counter of a probe room shows in a look. */
export const counterIn = ({ state }: Pick<RoomStateLook, "state">): number =>
  readSave(probe, Buffer.from(state ?? "", "base64")).state.counter.value
