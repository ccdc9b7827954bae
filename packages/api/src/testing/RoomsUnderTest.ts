import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"

import { probe } from "./rooms/probeSchema.ts"
import { call, type RunningService } from "./RunningService.ts"

export type ProbeRoom = ClientRoom<typeof probe>

/** One answer of the management API. */
export interface Answered {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** The management API of one project's rooms, and players who make such rooms. */
export const roomsOf = (service: Pick<RunningService, "url" | "token" | "project">) => {
  const base = `/v1/projects/${service.project}/rooms`
  const ask = (
    path: string,
    request: { method?: string; body?: unknown } = {}
  ): Promise<Answered> => call(service.url, `${base}${path}`, { token: service.token, ...request })

  const player = async (): Promise<Client> => {
    const identity = await call(service.url, "/v1/identity", { body: { project: service.project } })
    return new Client(service.url, {
      project: service.project,
      token: String(identity.body["token"])
    })
  }

  /** Comes in as somebody new; the room is made if it is not there. */
  const join = async (roomId: string): Promise<ProbeRoom> =>
    (await player()).joinOrCreate(probe, { roomId })

  const status = async (roomId: string): Promise<unknown> =>
    (await ask(`/${roomId}`)).body["status"]

  /** A room that is asleep; its counter stands at `value`. */
  const asleep = async (roomId: string, value: number): Promise<void> => {
    const room = await join(roomId)
    await room.request("add", { by: value })
    await room.leave()
    await until(`${roomId} sleeps`, async () => (await status(roomId)) === "hibernated")
  }

  /** What the room's counter shows to somebody new. */
  const valueOf = async (roomId: string): Promise<number> => {
    const room = await join(roomId)
    const { value } = room.state.counter
    await room.leave()
    return value
  }

  return { ask, player, join, status, asleep, valueOf }
}

/** Code of an error answer; its shape is checked on the way. */
export const codeOf = ({ body }: Answered): string => {
  const error: { code?: unknown; message?: unknown } = Object(body["error"])
  const { code, message } = error
  if (typeof code !== "string" || typeof message !== "string")
    throw new Error(`not an error: ${JSON.stringify(body)}`)
  if (Buffer.byteLength(message) > 96) throw new Error(`too long: ${message}`)
  return code
}

/** Message of an error answer. */
export const messageOf = ({ body }: Answered): string => String(Object(body["error"])["message"])
