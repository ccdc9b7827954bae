import { isClientAnswer } from "@atrium/actors/handover/ClientAnswer"
import {
  held,
  type HandoverAction,
  HandoverEvent,
  type HandoverState,
  step
} from "@atrium/actors/handover/HandoverMachine"
import type { ClientGate } from "@atrium/actors/rooms/ClientGate"

/** A client's place in a room. */
export interface SeatAt {
  readonly gate: ClientGate
  readonly ref: number
}

/** The connection whose frames wait. */
interface HeldConnection {
  /** The connection has to look for the room's next place. */
  lookForRoom(): void
  /** The connection has to end with 1012. */
  giveUp(): void
}

type Waiting =
  | { readonly _tag: "Data"; readonly frame: Uint8Array }
  | { readonly _tag: "Chat"; readonly text: string }
  | { readonly _tag: "Voice"; readonly frame: Uint8Array }

/** The seat of a client whose room moves to another runner: its frames wait here. Source: C-416. */
export class HeldSeat implements ClientGate {
  readonly #connection: HeldConnection
  /** The seat in the room that moves, then the one in its next incarnation; `null` = between the two. */
  #at: SeatAt | null
  #state: HandoverState = held
  readonly #waiting: Array<Waiting> = []

  constructor(at: SeatAt, connection: HeldConnection) {
    this.#at = at
    this.#connection = connection
  }

  /** It has no seat, and may take one. */
  get moving(): boolean {
    return this.#state._tag === "Moving"
  }

  /** The room that held the client is stored and gone. */
  moved(): void {
    this.#at = null
    this.#happens(HandoverEvent.RoomMoved())
  }

  /** The next incarnation has a seat for the client. */
  seated(at: SeatAt): void {
    this.#at = at
    this.#happens(HandoverEvent.SeatTaken())
  }

  /**
   * The next incarnation has welcomed the client.
   *
   * @param same whether it is the same session
   * @returns the seat that takes the client's frames from here on
   */
  welcomed(same: boolean): SeatAt | null {
    this.#happens(HandoverEvent.Welcomed({ same }))
    return this.#at
  }

  /** The time of the move is over. */
  expired(): void {
    this.#happens(HandoverEvent.TimePassed())
  }

  data(_ref: number, frame: Uint8Array): void {
    if (!isClientAnswer(frame)) this.#wait({ _tag: "Data", frame }, frame.length)
  }

  chat(_ref: number, text: string): void {
    this.#wait({ _tag: "Chat", text }, Buffer.byteLength(text))
  }

  voice(_ref: number, frame: Uint8Array): void {
    this.#wait({ _tag: "Voice", frame }, frame.length)
  }

  exit(_ref: number, consented: boolean): void {
    this.#happens(HandoverEvent.ClientLeft())
    this.#at?.gate.exit(this.#at.ref, consented)
  }

  /** Its own time is short. */
  serves(): boolean {
    return true
  }

  received(bytes: number): void {
    this.#at?.gate.received(bytes, this.#at.ref)
  }

  sent(bytes: number): void {
    this.#at?.gate.sent(bytes, this.#at.ref)
  }

  #wait(waiting: Waiting, bytes: number): void {
    if (this.#happens(HandoverEvent.FrameCame({ bytes })) === "keepFrame")
      this.#waiting.push(waiting)
  }

  #happens(event: HandoverEvent): HandoverAction | null {
    const [next, action] = step(this.#state, event)
    this.#state = next
    switch (action) {
      case "lookForRoom":
        this.#connection.lookForRoom()
        break
      case "giveUp":
        this.#connection.giveUp()
        break
      case "replay":
        this.#replay()
        break
      case "forget":
      case "keepFrame":
      case null:
        break
    }
    return action
  }

  #replay(): void {
    if (this.#at === null) return
    const { gate, ref } = this.#at
    for (const waiting of this.#waiting.splice(0)) {
      switch (waiting._tag) {
        case "Data":
          gate.data(ref, waiting.frame)
          break
        case "Chat":
          gate.chat(ref, waiting.text)
          break
        case "Voice":
          gate.voice(ref, waiting.frame)
          break
      }
    }
  }
}
