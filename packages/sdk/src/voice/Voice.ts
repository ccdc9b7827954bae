import type { StateOf, ViewOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { ClientRoom } from "../client/ClientRoom.ts"
import { voiceLineOf } from "../client/VoiceLines.ts"
import { VoiceCall } from "./VoiceCall.ts"
import { VoiceError } from "./VoiceError.ts"
import { browserPort, type VoicePort } from "./VoicePort.ts"
import type { Hearing } from "./VoiceSound.ts"

/** Hears participants from where they are: further away is quieter, and left and right are heard. */
export interface VoicePan<S extends AnyRoomSchema> {
  /** A collection of the state whose records have `x` and `y`. */
  readonly collection: keyof StateOf<S> & string
  /** The field of a record that holds the `sessionId` of its client. */
  readonly client: string
  /** From this distance on a participant is not heard. */
  readonly range: number
}

/** How a client joins a call. */
export interface VoiceOptions<S extends AnyRoomSchema> {
  /**
   * The microphone: its constraints, a stream of one's own, or `false` to listen only. Left out: the browser's
   * own, without echo and noise.
   */
  readonly microphone?: MediaStream | MediaTrackConstraints | false
  /** The microphone is silent at first; for push-to-talk. */
  readonly muted?: boolean
  readonly pan?: VoicePan<S>
}

/**
 * Joins the call of a room whose schema declares `voice`, and asks for the microphone. The call is made anew by
 * itself after a lost connection, and when the room moves or restarts. Call it from a click or a key: before, a
 * browser lets a page make no sound.
 *
 * Errors: `VoiceError`.
 */
const join = async <S extends AnyRoomSchema>(
  room: ClientRoom<S>,
  options: VoiceOptions<S> = {},
  port: VoicePort = browserPort()
): Promise<VoiceCall> => {
  const line = voiceLineOf(room)
  const { microphone: wanted = {}, pan } = options
  const microphone = await microphoneOf(wanted, port)
  const call = new VoiceCall(
    {
      room,
      line,
      port,
      microphone,
      endMicrophone: () => {
        // A stream of the game's own goes on.
        if (microphone !== wanted) for (const track of microphone?.getTracks() ?? []) track.stop()
      },
      placeOf: (clientId) => (pan === undefined ? here : placeOf(room, pan, clientId)),
      onMoved: (moved) => (pan === undefined ? () => {} : room.onStateChange(moved))
    },
    options.muted === true
  )
  await call.start()
  return call
}

/** Voice calls. */
export const voice = { join }

const here: Hearing = { volume: 1, pan: 0 }
const nowhere: Hearing = { volume: 0, pan: 0 }

const microphoneOf = async (
  wanted: MediaStream | MediaTrackConstraints | false,
  port: VoicePort
): Promise<MediaStream | null> => {
  if (wanted === false) return null
  if (wanted instanceof port.MediaStream) return wanted
  try {
    return await port.getUserMedia({ audio: wanted })
  } catch (error) {
    throw new VoiceError("E_MICROPHONE", "voice: the browser gives no microphone", error)
  }
}

interface Place {
  readonly x: number
  readonly y: number
}

const placeOf = <S extends AnyRoomSchema>(
  room: ClientRoom<S>,
  { collection, client, range }: VoicePan<S>,
  clientId: string
): Hearing => {
  const find = (id: string): Place | null => placeIn(room.state, { collection, client, id })
  const [ear, mouth] = [find(room.sessionId), find(clientId)]
  if (ear === null || mouth === null) return nowhere
  const [dx, dy] = [mouth.x - ear.x, mouth.y - ear.y]
  const near = 1 - Math.hypot(dx, dy) / range
  return near <= 0 ? nowhere : { volume: near, pan: Math.max(-1, Math.min(1, dx / range)) }
}

const placeIn = (
  state: ViewOf<AnyRoomSchema>,
  {
    collection,
    client,
    id
  }: { readonly collection: string; readonly client: string; readonly id: string }
): Place | null => {
  const records: unknown = Reflect.get(state, collection)
  if (!isIterable(records)) return null
  for (const record of records) {
    if (!isRecord(record) || record[client] !== id) continue
    const { x, y } = record
    return typeof x === "number" && typeof y === "number" ? { x, y } : null
  }
  return null
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
