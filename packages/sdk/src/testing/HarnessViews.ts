import { makeStateView, type StateView } from "@atrium/wire/codec/StateView"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import type { ViewOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { decodeArray } from "../client/ClientWire.ts"

/** What each connection of a harness has been sent of the room's state. */
export class HarnessViews<S extends AnyRoomSchema> {
  readonly #schema: S
  readonly #byRef = new Map<number, StateView<S>>()

  constructor(schema: S) {
    this.#schema = schema
  }

  welcomed(ref: number, state: Uint8Array): void {
    const view = makeStateView(this.#schema)
    view.applyFull(state)
    this.#byRef.set(ref, view)
  }

  delivered(ref: number, frame: Uint8Array): void {
    const [type, , delta] = decodeArray(frame)
    if (type === ServerFrame.patch && delta instanceof Uint8Array) {
      this.#byRef.get(ref)?.applyDelta(delta)
    }
  }

  of(ref: number): ViewOf<S> {
    const view = this.#byRef.get(ref)
    if (view === undefined) throw new Error("the client has not been welcomed")
    return view.state
  }
}
