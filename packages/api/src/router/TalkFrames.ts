import type { ClientGate } from "@atrium/actors/rooms/ClientGate"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import { makeBucket, takeToken } from "@atrium/wire/limits/TokenBucket"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { packVoiceTold, readVoiceAsk } from "@atrium/wire/voice/VoiceFrames"

import { readChat } from "./Hello.ts"

/** The connection of the client that talks. */
interface TalkingConnection {
  readonly nowMs: () => number
  tell(code: string, message: string): void
  /** Writes a frame of the service itself. */
  put(frame: Uint8Array): void
  /** The frame is not of the protocol. */
  bad(message: string): void
}

/** Frames of a client that the service reads by itself: chat lines, and frames of the room's voice call. */
export class TalkFrames {
  readonly #connection: TalkingConnection
  readonly #chats
  readonly #voices
  #chatsTold = false

  constructor(connection: TalkingConnection) {
    this.#connection = connection
    this.#chats = makeBucket(ConnectionLimits.chatLines, connection.nowMs())
    this.#voices = makeBucket(VoiceMediaLimits.voiceFrames, connection.nowMs())
  }

  chat(data: Buffer, gate: ClientGate, ref: number): void {
    gate.received(data.length, ref)
    const { tell, bad, nowMs } = this.#connection
    const text = readChat(data)
    if (text === null) return bad("a chat frame without text")
    if (Buffer.byteLength(text) > ConnectionLimits.chatBytes.max) {
      return tell(RoomRefusals.chatTooLong.code, "chat: the line is over 512 bytes")
    }
    if (takeToken(this.#chats, ConnectionLimits.chatLines, nowMs())) {
      this.#chatsTold = false
      return gate.chat(ref, text)
    }
    if (this.#chatsTold) return
    this.#chatsTold = true
    tell(RoomRefusals.chatRate.code, "chat: more than one line a second")
  }

  voice(data: Buffer, gate: ClientGate, ref: number): void {
    const { put, bad, nowMs } = this.#connection
    if (readVoiceAsk(data) === null) return bad("a voice frame that asks nothing")
    if (takeToken(this.#voices, VoiceMediaLimits.voiceFrames, nowMs())) {
      return gate.voice(ref, data)
    }
    gate.received(data.length, ref)
    put(tooManyVoiceFrames)
  }
}

const tooManyVoiceFrames = packVoiceTold({
  _tag: "refused",
  code: "E_RATE_LIMITED",
  message: "voice: more than 2 voice frames a second"
})
