import { VoiceClientLimits } from "@atrium/wire/voice/VoiceClientLimits"
import type { VoiceTold } from "@atrium/wire/voice/VoiceFrames"
import { packVoiceAsk, voiceToldOf } from "@atrium/wire/voice/VoiceFrames"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"

import { makeDeferred } from "../client/Deferred.ts"
import { Listeners, type Unsubscribe } from "../client/Listeners.ts"
import type { VoiceLine } from "../client/VoiceLines.ts"
import { VoiceError } from "./VoiceError.ts"
import {
  firstJoin,
  step,
  type VoiceAction,
  type VoiceEvent,
  type VoiceState
} from "./VoiceMachine.ts"
import type { VoicePort } from "./VoicePort.ts"
import { type Hearing, VoiceSound } from "./VoiceSound.ts"

/** The room, as its call sees it. */
export interface CalledRoom {
  readonly sessionId: string
  onDrop(call: () => void): Unsubscribe
  onReconnect(call: () => void): Unsubscribe
  onLeave(call: () => void): Unsubscribe
}

export interface VoiceCallParts {
  readonly room: CalledRoom
  readonly line: VoiceLine
  readonly port: VoicePort
  /** `null` = the client only listens. */
  readonly microphone: MediaStream | null
  /** The call has ended, and needs the microphone no more. */
  readonly endMicrophone: () => void
  /** Where a participant is heard, and how well; 1 and 0 without positions. */
  readonly placeOf: (clientId: string) => Hearing
  /** Calls back when positions have changed. */
  readonly onMoved: (call: () => void) => Unsubscribe
}

/** A client in the call of its room. Made by `voice.join`. */
export class VoiceCall {
  readonly #parts: VoiceCallParts
  readonly #sound: VoiceSound
  readonly #joined = makeDeferred()
  readonly #changes = new Listeners<[]>()
  readonly #ends = new Listeners<[code: string, message: string]>()
  readonly #unsubscribe: ReadonlyArray<Unsubscribe>
  readonly #volumes = new Map<string, number>()
  readonly #events: Array<VoiceEvent> = []
  #stepping = false
  #state: VoiceState = firstJoin
  /** Connections to the media: that of the microphone, and another one if the call offers the slots by that. */
  #peers: Array<RTCPeerConnection> = []
  #timers: Array<() => void> = []
  #participants: ReadonlyArray<string> = []
  #speakers: ReadonlyArray<string | null> = []
  #muted: boolean

  /** @internal */
  constructor(parts: VoiceCallParts, muted: boolean) {
    this.#parts = parts
    this.#muted = muted
    this.#sound = new VoiceSound(parts.port, parts.microphone)
    this.#applyMute()
    const { room, line } = parts
    this.#unsubscribe = [
      line.told.add((frame) => this.#told(voiceToldOf(frame.slice(1)))),
      room.onDrop(() => this.#happens({ _tag: "RoomDropped" })),
      room.onReconnect(() => this.#happens({ _tag: "RoomBack" })),
      room.onLeave(() => this.#leave("the room was left")),
      parts.onMoved(() => this.#hear())
    ]
  }

  /** Resolves when the client is in the call. Rejects with `VoiceError`. @internal */
  start(): Promise<void> {
    this.#perform({ _tag: "Connect" })
    return this.#joined.promise
  }

  /** `false` while the client is on its way back into the call, and after the end. */
  get connected(): boolean {
    return this.#state._tag === "Joined"
  }

  /** The `sessionId` of everybody in the call, this client's own included. */
  get participants(): ReadonlyArray<string> {
    return this.#participants
  }

  /** The `sessionId` of those who are heard now, or were heard last: at most three. */
  get speakers(): ReadonlyArray<string> {
    return this.#speakers.filter((speaker) => speaker !== null)
  }

  /** Whether the microphone is silent. */
  get muted(): boolean {
    return this.#muted
  }

  /** Silences the microphone, or lets it be heard. */
  mute(muted: boolean): void {
    this.#muted = muted
    this.#applyMute()
  }

  /** How loud each of those is who are heard now, and this client's own microphone, from 0 to 1. */
  levels(): ReadonlyMap<string, number> {
    const levels = new Map<string, number>()
    for (const [slot, speaker] of this.#speakers.entries()) {
      if (speaker !== null) levels.set(speaker, this.#sound.level(slot))
    }
    levels.set(this.#parts.room.sessionId, this.#muted ? 0 : this.#sound.ownLevel)
    return levels
  }

  /** How loud this client hears a participant: 0 is not at all, 1 is as it comes, at most 4. */
  setVolume(clientId: string, volume: number): void {
    const { max } = VoiceClientLimits.voiceVolume
    if (!(volume >= 0 && volume <= max)) {
      throw new RangeError(`setVolume: ${volume} is not from 0 to ${max}`)
    }
    this.#volumes.set(clientId, volume)
    this.#hear()
  }

  /** After each change of `participants`, `speakers` or `connected`. */
  onChange(call: () => void): Unsubscribe {
    return this.#changes.add(call)
  }

  /** The end: `E_LEFT` after `leave` or the end of the room, else a code of `VoiceError`. */
  onEnd(call: (code: string, message: string) => void): Unsubscribe {
    return this.#ends.add(call)
  }

  /** Leaves the call; the room goes on. */
  leave(): void {
    this.#leave("the call was left")
  }

  #leave(message: string): void {
    this.#happens({ _tag: "LeaveAsked", code: "E_LEFT", message })
  }

  #applyMute(): void {
    for (const track of this.#parts.microphone?.getTracks() ?? []) track.enabled = !this.#muted
  }

  // A listener may leave while it is told of something: its event waits for its turn.
  #happens(event: VoiceEvent): void {
    this.#events.push(event)
    if (this.#stepping) return
    this.#stepping = true
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      const before = this.#state._tag
      const [state, actions] = step(this.#state, next)
      this.#state = state
      for (const action of actions) this.#perform(action)
      if (state._tag !== before) this.#changes.tell()
    }
    this.#stepping = false
  }

  #perform(action: VoiceAction): void {
    switch (action._tag) {
      case "Connect":
        return void this.#connect().catch(() => this.#lost())
      case "Disconnect":
        return this.#disconnect()
      case "StartWait":
        return this.#after(action.waitMs, () => this.#happens({ _tag: "WaitElapsed" }))
      case "SayLeave":
        return this.#parts.line.send(packVoiceAsk({ _tag: "leave" }))
      case "SettleJoin":
        return this.#joined.resolve()
      case "FailJoin":
        this.#end()
        return this.#joined.reject(new VoiceError(action.code, action.message))
      case "TellEnd":
        this.#end()
        return this.#ends.tell(action.code, action.message)
    }
  }

  #after(waitMs: number, run: () => void): void {
    this.#timers.push(this.#parts.port.after(waitMs, run))
  }

  #lost(): void {
    const { elapsedMs, random } = this.#parts.port
    this.#happens({ _tag: "Lost", nowMs: elapsedMs(), random: random() })
  }

  /** Offers a connection with the microphone and a line for each slot. Its candidates are the service's alone. */
  async #connect(): Promise<void> {
    const { microphone, line } = this.#parts
    const peer = this.#open()
    this.#after(VoiceClientLimits.voiceJoin.ms, () => {
      if (this.#state._tag === "Joining") this.#lost()
    })
    const [track] = microphone?.getAudioTracks() ?? []
    if (track !== undefined) peer.addTransceiver(track, { direction: "sendonly" })
    for (let slot = 0; slot < VoiceLimits.voiceSlots.max; slot++) {
      peer.addTransceiver("audio", { direction: "recvonly" })
    }
    await peer.setLocalDescription()
    if (this.#peers[0] !== peer) return
    line.send(packVoiceAsk({ _tag: "join", offer: peer.localDescription?.sdp ?? "" }))
  }

  #open(): RTCPeerConnection {
    const peer = new this.#parts.port.RTCPeerConnection()
    this.#peers.push(peer)
    const isOpen = (): boolean => this.#peers.includes(peer)
    peer.onconnectionstatechange = () => {
      if (!isOpen()) return
      if (peer.connectionState === "failed") return this.#lost()
      if (peer.connectionState !== "disconnected") return
      this.#after(VoiceClientLimits.voiceInterrupted.ms, () => {
        if (isOpen() && peer.connectionState === "disconnected") this.#lost()
      })
    }
    return peer
  }

  #disconnect(): void {
    for (const end of this.#timers.splice(0)) end()
    this.#sound.take([])
    for (const peer of this.#peers.splice(0)) peer.close()
    this.#participants = []
    this.#speakers = []
  }

  #end(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#sound.end()
    this.#parts.endMicrophone()
  }

  #told(told: VoiceTold | null): void {
    switch (told?._tag) {
      case "joined":
        return void this.#answered(told.answer).catch(() => this.#lost())
      case "offer":
        return void this.#offered(told.offer).catch(() => this.#lost())
      case "slots":
        this.#speakers = told.speakers
        this.#hear()
        return this.#changes.tell()
      case "call":
        this.#participants = told.participants
        return this.#changes.tell()
      case "refused":
        return this.#happens(refusalOf(told))
      case "ended":
        return this.#lost()
      case undefined:
        return
    }
  }

  async #answered(answer: string): Promise<void> {
    const [peer] = this.#peers
    // An answer to a join that was given up.
    if (peer === undefined || peer.signalingState !== "have-local-offer") return
    await peer.setRemoteDescription({ type: "answer", sdp: answer })
    if (this.#peers[0] !== peer) return
    this.#connects(peer)
    this.#takes(peer)
    this.#happens({ _tag: "Answered", nowMs: this.#parts.port.elapsedMs() })
  }

  /** Some media carry the slots over a connection of their own. */
  async #offered(offer: string): Promise<void> {
    const known = this.#peers[1]
    const peer = known ?? this.#open()
    await peer.setRemoteDescription({ type: "offer", sdp: offer })
    await peer.setLocalDescription()
    if (this.#peers[1] !== peer) return
    const answer = peer.localDescription?.sdp ?? ""
    this.#parts.line.send(packVoiceAsk({ _tag: "answer", answer }))
    if (known === undefined) this.#connects(peer)
    this.#takes(peer)
  }

  /** A connection that carries something comes up in time, or is lost. */
  #connects(peer: RTCPeerConnection): void {
    if (!peer.getTransceivers().some(isUsed)) return
    this.#after(VoiceClientLimits.voiceConnect.ms, () => {
      if (this.#peers.includes(peer) && peer.connectionState !== "connected") this.#lost()
    })
  }

  #takes(peer: RTCPeerConnection): void {
    const tracks = slotTracks(peer)
    if (tracks.length > 0) this.#sound.take(tracks)
    this.#hear()
  }

  #hear(): void {
    this.#sound.hear(
      this.#speakers.map((speaker) => {
        if (speaker === null) return null
        const { volume, pan } = this.#parts.placeOf(speaker)
        return { volume: volume * (this.#volumes.get(speaker) ?? 1), pan }
      })
    )
  }
}

const refusalOf = ({
  code,
  message
}: Extract<VoiceTold, { readonly _tag: "refused" }>): VoiceEvent => ({
  _tag: "Refused",
  code,
  message
})

const isUsed = ({ currentDirection }: RTCRtpTransceiver): boolean =>
  currentDirection === "sendonly" || currentDirection === "recvonly"

/** The tracks of the lines that receive, in their order. */
const slotTracks = (peer: RTCPeerConnection): ReadonlyArray<MediaStreamTrack> =>
  peer
    .getTransceivers()
    .filter(({ currentDirection }) => currentDirection === "recvonly")
    .map(({ receiver }) => receiver.track)
