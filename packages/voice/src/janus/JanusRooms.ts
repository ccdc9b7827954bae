import { createHmac, randomBytes, randomInt } from "node:crypto"

import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"

import type { JanusConnection } from "./JanusConnection.ts"

/** A room of Janus, which nobody else gets into. */
export interface JanusRoom {
  readonly room: number
  readonly pin: string
  readonly secret: string
}

/** What rooms of the service are called in Janus. */
const description = "atrium"

/** Numbers of participants are below it. */
const keeperFrom = 2 ** 46

/** Every process that has the secret of Janus can remove a room of one that died. */
const secretOf = (apiSecret: string, room: number): string =>
  createHmac("sha256", apiSecret).update(`atrium room ${room}`).digest("hex").slice(0, 32)

/**
 * Makes and removes rooms. Janus keeps a room when the media process that made it dies. So the process puts a keeper into each of its
 * rooms: a participant without sound, whom Janus removes with the session of the process. A room without a keeper at two
 * looks belongs to no living process, and is removed.
 */
export class JanusRooms {
  readonly #janus: JanusConnection
  readonly #apiSecret: string
  readonly #control: Promise<number>
  readonly #keepers = new Map<number, number>()
  readonly #second: NodeJS.Timeout

  constructor(janus: JanusConnection, apiSecret: string) {
    this.#janus = janus
    this.#apiSecret = apiSecret
    this.#control = janus.attach()
    // Each use of it fails with it.
    this.#control.catch(() => {})
    const first = this.#left()
    first.catch(() => {})
    // Janus removes the keepers of a session a while after its process has died.
    this.#second = setTimeout(() => {
      void first.then((rooms) => this.#sweep(rooms)).catch(() => {})
    }, VoiceMediaLimits.voiceJanusLeft.ms)
    this.#second.unref()
  }

  /** @param settings of the room @returns it, and the feed of the dummy publisher, who says nothing */
  async make(settings: Readonly<Record<string, unknown>>) {
    // Several runners may have one Janus.
    const room = randomInt(1, keeperFrom)
    const pin = randomBytes(16).toString("hex")
    const made: JanusRoom = { room, pin, secret: secretOf(this.#apiSecret, room) }
    const control = await this.#control
    await this.#janus.request(control, {
      request: "create",
      ...made,
      ...settings,
      description,
      // The next media process must find the room in the list. To list rooms takes the secret of Janus, and to join one its pin.
      is_private: false,
      permanent: false
    })
    const keeper = await this.#janus.attach()
    this.#keepers.set(room, keeper)
    const id = randomInt(keeperFrom, 2 * keeperFrom)
    await this.#janus.request(keeper, { request: "join", ptype: "publisher", room, pin, id })
    const listed = await this.#janus.request(control, { request: "listparticipants", room })
    return { room: made, silent: silentIn(listed.data["participants"]) }
  }

  async remove({ room, secret }: Pick<JanusRoom, "room" | "secret">): Promise<void> {
    const keeper = this.#keepers.get(room)
    this.#keepers.delete(room)
    await this.#janus.request(await this.#control, { request: "destroy", room, secret })
    if (keeper !== undefined) await this.#janus.detach(keeper)
  }

  end(): void {
    clearTimeout(this.#second)
  }

  /** Rooms of the service in which nobody is now. One that is just being made is among them. */
  async #left(): Promise<ReadonlyArray<number>> {
    const control = await this.#control
    const { data } = await this.#janus.request(control, { request: "list" })
    return recordsIn(data["list"]).flatMap((each) => {
      const { room, num_participants: count } = each
      const isLeft = each["description"] === description && typeof count === "number" && count <= 1
      return isLeft && typeof room === "number" ? [room] : []
    })
  }

  async #sweep(leftBefore: ReadonlyArray<number>): Promise<void> {
    const left = (await this.#left()).filter((room) => leftBefore.includes(room))
    for (const room of left) {
      const secret = secretOf(this.#apiSecret, room)
      // Another runner may have removed it.
      await this.remove({ room, secret }).catch(() => {})
    }
  }
}

const recordsIn = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.map((each) => ({ ...each })) : []

const silentIn = (participants: unknown): number => {
  const silent = recordsIn(participants).find(({ dummy }) => dummy === true)?.["id"]
  if (typeof silent !== "number") throw new Error("Janus: a room without a dummy publisher")
  return silent
}
