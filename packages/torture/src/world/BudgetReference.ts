import type { RoomClass } from "@atrium/wire/rooms/RoomClass"

import { projectOf } from "./Store.ts"
import { Violation } from "./Violation.ts"
import type { ServerStepped } from "./Witness.ts"

// Literals of the specification, on purpose: 20, 8 and 3 rooms fill a server, 10 one of the free plan.
const roomsOf: Readonly<Record<RoomClass, number>> = { standard: 20, large: 8, xlarge: 3 }
const awakeFree = 10
/** The least common multiple of 20, 8 and 3: shares of a server are whole numbers of it. */
const whole = 120

const shareOf = (roomClass: RoomClass): number => whole / roomsOf[roomClass]

/** What each server holds, by what it was asked and has answered. Source: spec, Room budget; D-46, T-42. */
export class BudgetReference {
  readonly #held = new Map<string, Map<string, RoomClass>>()

  stepped({ server, before, event, after, actions }: ServerStepped): void {
    // An actor that is new holds nothing, whatever the one before it held.
    const held = before.places.length === 0 ? new Map<string, RoomClass>() : this.#of(server.id)
    this.#held.set(server.id, held)
    const places = new Set(after.places.map(({ roomId }) => roomId))
    for (const roomId of held.keys()) if (!places.has(roomId)) held.delete(roomId)
    if (event._tag !== "AdmitAsked") return
    const answer = actions.at(-1)?._tag
    const isNew = !held.has(event.roomId)
    const sum = [...held.values()].reduce((total, one) => total + shareOf(one), 0)
    const fits = sum + shareOf(event.class) <= whole
    const free = event.terms.plan === "free"
    const fitsPlan = !free || held.size < awakeFree
    if (answer === "Admit" && isNew) {
      if (!fits) this.#over(server.id, `${sum} of ${whole} and a room of ${event.class}`)
      if (!fitsPlan) this.#over(server.id, `${held.size} rooms on the free plan, and one more`)
      held.set(event.roomId, event.class)
    }
    const full = answer === "RefuseFull" || answer === "RefuseFree"
    if (full && (!isNew || (fits && fitsPlan))) {
      throw new Violation("budget", `server ${server.id} has room and refuses ${event.roomId}`)
    }
    if (free && isNew && answer === "RefuseFull") {
      throw new Violation("budget", `${projectOf(server.id)} is sent on to a further server`)
    }
    this.#slots(server.id, after.places)
  }

  #of(id: string): Map<string, RoomClass> {
    return this.#held.get(id) ?? new Map<string, RoomClass>()
  }

  #over(id: string, what: string): never {
    throw new Violation("budget", `server ${id} is over its budget: it had ${what}`)
  }

  #slots(id: string, places: ReadonlyArray<{ readonly slot: number }>): void {
    const slots = new Set(places.map(({ slot }) => slot))
    if (slots.size < places.length) throw new Violation("budget", `server ${id} gave a slot twice`)
  }
}
