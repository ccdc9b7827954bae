import type { CapWall } from "@atrium/domain/meters/Caps"
import type { VoiceChange } from "@atrium/runtime/room/VoiceChanges"
import { packVoiceTold, readVoiceAsk } from "@atrium/wire/voice/VoiceFrames"

import {
  type CallAction,
  type CallClient,
  CallEvent,
  isRunning,
  noCall,
  step
} from "./CallMachine.ts"
import type { RunnerMedia } from "./RunnerMedia.ts"

/** The call of a room, as its gate tells of clients. */
export interface GateCall {
  /** Somebody is in the call, or on the way back into it. */
  readonly running: boolean
  /** A voice frame of a client. */
  asked(client: CallClient, frame: Uint8Array): void
  named(ref: number, clientId: string): void
  left(ref: number): void
  groupsChanged(changes: ReadonlyArray<VoiceChange>): void
  /** The room has come from another runner, where its call was running. */
  continued(): void
  /** The room goes to another runner. */
  moved(): void
}

/** What a call needs of the runner. */
export interface CallSurroundings {
  /** Names the call in the media. */
  readonly number: number
  readonly media: RunnerMedia["Service"]
  /** A number for a participant. */
  readonly nextParticipant: () => number
  /** Participants that the room's type declares; `null` = it declares no voice. */
  readonly capacity: () => number | null
  /** Asks whether a new call is refused; answers later. */
  readonly askWall: (answered: (wall: CapWall | null) => void) => void
  /** Calls back when the call that came with the room no longer counts as running: the next join begins a new one. */
  readonly afterContinued: (over: () => void) => void
  /** The participant's time counts from now on. @returns to be called when it counts no more */
  readonly beginMeter: () => () => void
  /** Writes a frame to a client. */
  readonly write: (ref: number, frame: Uint8Array) => void
}

/** Carries out what `CallMachine` decides for one room. */
export class RoomCall implements GateCall {
  readonly #around: CallSurroundings
  readonly #meters = new Map<number, () => void>()
  readonly #events: Array<CallEvent> = []
  #stepping = false
  #state = noCall

  constructor(around: CallSurroundings) {
    this.#around = around
  }

  get running(): boolean {
    return isRunning(this.#state)
  }

  asked(client: CallClient, frame: Uint8Array): void {
    const { ref } = client
    const ask = readVoiceAsk(frame)
    switch (ask?._tag) {
      case "join": {
        const media = this.#around.nextParticipant()
        const capacity = this.#around.capacity()
        return this.#happens(CallEvent.JoinAsked({ client, offer: ask.offer, media, capacity }))
      }
      case "answer":
        return this.#happens(CallEvent.AnswerGiven({ ref, answer: ask.answer }))
      case "leave":
        return this.left(ref)
      case undefined:
        // The connection has closed a client that sends such a frame.
        return
    }
  }

  named(ref: number, clientId: string): void {
    this.#happens(CallEvent.ClientNamed({ ref, clientId }))
  }

  left(ref: number): void {
    this.#happens(CallEvent.ClientLeft({ ref }))
  }

  groupsChanged(changes: ReadonlyArray<VoiceChange>): void {
    this.#happens(CallEvent.GroupsChanged({ changes }))
  }

  continued(): void {
    this.#happens(CallEvent.CallContinued())
    this.#around.afterContinued(() => this.#happens(CallEvent.ContinuedOver()))
  }

  moved(): void {
    this.#happens(CallEvent.RoomMoved())
  }

  /** What is told may close a client, whose end is an event of its own. */
  #happens(event: CallEvent): void {
    this.#events.push(event)
    if (this.#stepping) return
    this.#stepping = true
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      const [state, actions] = step(this.#state, next)
      this.#state = state
      for (const action of actions) this.#perform(action)
    }
    this.#stepping = false
  }

  #perform(action: CallAction): void {
    const { media, write } = this.#around
    switch (action._tag) {
      case "AskWall":
        return this.#around.askWall((wall) => this.#happens(CallEvent.WallAnswered({ wall })))
      case "JoinMedia":
        return this.#join(action)
      case "AnswerMedia":
        return media.answer(action.media, action.answer)
      case "LeaveMedia":
        return media.leave(action.media)
      case "SetGroups":
        return media.setGroups(action.media, action.groups)
      case "BeginMeter":
        return void this.#meters.set(action.ref, this.#around.beginMeter())
      case "EndMeter":
        this.#meters.get(action.ref)?.()
        return void this.#meters.delete(action.ref)
      case "Tell":
        return write(action.ref, packVoiceTold(action.told))
    }
  }

  #join({ media, offer, groups }: Extract<CallAction, { readonly _tag: "JoinMedia" }>): void {
    const happens = (event: CallEvent): void => this.#happens(event)
    this.#around.media.join(
      media,
      { call: this.#around.number, offer, groups },
      {
        joined: (answer) => happens(CallEvent.MediaJoined({ media, answer })),
        offered: (further) => happens(CallEvent.MediaOffered({ media, offer: further })),
        refused: (refusal) => happens(CallEvent.MediaRefused({ media, ...refusal })),
        slotsChanged: (speakers) => happens(CallEvent.SlotsChanged({ media, speakers })),
        lost: () => happens(CallEvent.MediaLost({ media }))
      }
    )
  }
}
