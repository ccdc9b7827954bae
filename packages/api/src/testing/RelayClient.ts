import type { AnyRoomSchema } from "@atrium/sdk/schema"
import { makeStateView } from "@atrium/wire/codec"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"

import { RawClient } from "./RawClient.ts"
import { call, type RunningService } from "./RunningService.ts"

/** A client of a relay room that speaks the bare protocol and keeps the room's state. */
export class RelayClient {
  readonly raw: RawClient
  readonly token: string
  readonly #view
  #welcome: ReadonlyArray<unknown> = []
  #id = 0

  private constructor(raw: RawClient, token: string, schema: AnyRoomSchema) {
    this.raw = raw
    this.token = token
    this.#view = makeStateView(schema)
  }

  static async join(
    service: Pick<RunningService, "url" | "project">,
    to: { readonly room: string; readonly schema: AnyRoomSchema },
    back: { readonly token?: string; readonly resume?: unknown } = {}
  ): Promise<RelayClient> {
    const token = back.token ?? (await identityOf(service))
    const address = `${service.url.replace("http", "ws")}/v1/rooms/${service.project}/${to.room}`
    const client = new RelayClient(new RawClient(address), token, to.schema)
    await client.raw.send([ClientFrame.hello, token, to.schema.type, null, back.resume ?? null])
    client.#welcome = await client.next(ServerFrame.welcome, ServerFrame.error)
    return client
  }

  get id(): unknown {
    return this.#welcome[1]
  }

  get resume(): unknown {
    return this.#welcome[7]
  }

  /** What it was answered when it came. */
  get welcome(): ReadonlyArray<unknown> {
    return this.#welcome
  }

  get state(): unknown {
    return JSON.parse(JSON.stringify(this.#view.state))
  }

  /** The next frame of one of these types; patches before it are taken over. */
  async next(...types: ReadonlyArray<number>): Promise<ReadonlyArray<unknown>> {
    for (;;) {
      const frame = await this.raw.next(
        ([type]) => type === ServerFrame.patch || types.includes(Number(type))
      )
      const [type, , delta, , , state] = frame
      if (type === ServerFrame.patch && delta instanceof Uint8Array) this.#view.applyDelta(delta)
      if (type === ServerFrame.welcome && state instanceof Uint8Array) {
        this.#welcome = frame
        this.#view.applyFull(state)
      }
      if (types.includes(Number(type))) return frame
    }
  }

  /** Writes, and answers with the acknowledgement or the refusal of this very write. */
  async write(...ops: ReadonlyArray<object>): Promise<ReadonlyArray<unknown>> {
    const id = this.#id++
    await this.raw.send([ClientFrame.write, id, ops])
    for (;;) {
      const frame = await this.next(ServerFrame.ack, ServerFrame.error)
      if ((frame[0] === ServerFrame.ack ? frame[1] : frame[3]) === id) return frame
    }
  }
}

/** The token of somebody new. */
const identityOf = async ({
  url,
  project
}: Pick<RunningService, "url" | "project">): Promise<string> => {
  const { body } = await call(url, "/v1/identity", { body: { project } })
  return String(body["token"])
}
