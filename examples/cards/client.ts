import { Client, RequestError } from "@atrium/sdk/client"

import { type Card, fits, SeatsMax } from "./Rules.ts"
import { cards } from "./schema.ts"

const Pictures = { clubs: "♣", diamonds: "♦", hearts: "♥", spades: "♠" } as const
const Ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]

const element = <E extends Element>(id: string, kind: new () => E): E => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

/** What index.html says in its `<meta>`; the build writes the service and the project there. */
const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="atrium-${name}"]`)?.content ?? ""

const status = element("status", HTMLParagraphElement)
const notice = element("notice", HTMLParagraphElement)
const seats = element("seats", HTMLUListElement)
const top = element("top", HTMLElement)
const hand = element("hand", HTMLElement)
const draw = element("draw", HTMLButtonElement)
const sit = element("sit", HTMLButtonElement)
const second = element("second", HTMLAnchorElement)

// Every tab is a player of its own, and stays the same one when it is loaded again.
const client = new Client(setting("service") || location.origin, {
  project: setting("project") || "dev",
  identity: "tab"
})

// The address names the table, so that it can be sent to a friend: index.html#cards-x7…
const table = location.hash.slice(1)
window.addEventListener("hashchange", () => location.reload())
const joined =
  table === "" ? client.joinOrCreate(cards) : client.joinOrCreate(cards, { roomId: table })
const room = await joined.catch((error: unknown) => {
  status.textContent = `There is no table: ${error instanceof Error ? error.message : String(error)}`
  throw error
})
history.replaceState(null, "", `#${room.id}`)
second.href = location.href

/** Waits for the room's answer; a broken rule is said in the room's own words. */
const ask = async (request: Promise<unknown>): Promise<void> => {
  notice.textContent = ""
  await request.catch((error: unknown) => {
    if (!(error instanceof RequestError)) throw error
    notice.textContent = error.message
  })
}
draw.addEventListener("click", () => ask(room.request("draw", {})))
sit.addEventListener("click", () => ask(room.request("sit", {})))

const nameOf = ({ playerId }: { readonly playerId: string }): string =>
  playerId === room.playerId ? "You" : `Player ${playerId.slice(-4)}`
const textOf = ({ suit, rank }: Card): string =>
  `${suit === undefined ? "?" : Pictures[suit]} ${Ranks[rank - 1] ?? rank}`
const ownSeat = () => [...room.state.seats].find(({ playerId }) => playerId === room.playerId)
const isOwnTurn = (): boolean =>
  room.state.table.phase === "playing" && room.state.table.turn === ownSeat()?.id

const statusOf = (): string => {
  const { phase, turn, winner } = room.state.table
  if (phase === "waiting") return "Waiting for a second player."
  if (phase === "over") {
    return winner === room.playerId ? "You have won the round." : "The round is over."
  }
  if (isOwnTurn()) return "Your turn: play a card that fits, or draw."
  const seat = room.state.seats.get(turn)
  return seat === undefined ? "" : `${nameOf(seat)} is to play.`
}

const cardButton = (card: Card): HTMLButtonElement => {
  const button = document.createElement("button")
  const { suit } = card
  button.type = "button"
  button.className = `card ${suit ?? ""}`
  button.textContent = textOf(card)
  button.disabled = !isOwnTurn() || suit === undefined || !fits(card, room.state.table.top)
  button.addEventListener("click", () => {
    if (suit !== undefined) void ask(room.request("play", { card: { ...card, suit } }))
  })
  return button
}

const showSeats = (): void => {
  const { wins, turn } = room.state.table
  seats.replaceChildren(
    ...Array.from(room.state.seats, (seat) => {
      const line = document.createElement("li")
      line.textContent = `${nameOf(seat)}: ${seat.cards} cards, ${wins.get(seat.playerId) ?? 0} won`
      line.classList.toggle("turn", seat.id === turn)
      return line
    })
  )
}

const showTable = (): void => {
  const { top: card, left } = room.state.table
  status.textContent = statusOf()
  top.textContent = card === undefined ? "" : textOf(card)
  top.className = `card ${card?.suit ?? ""}`
  draw.textContent = `Draw (${left} left)`
  draw.disabled = !isOwnTurn()
  sit.hidden = ownSeat() !== undefined || room.state.seats.size === SeatsMax
  showSeats()
  showHand()
}

const showHand = (): void => {
  const own = [...room.state.hands].find(({ owner }) => owner === room.playerId)
  hand.replaceChildren(...(own?.cards ?? []).map(cardButton))
}

// Each part is drawn anew when something of it has changed.
room.on("table", { change: showTable })
room.on("seats", { add: showTable, change: showSeats, remove: showTable })
room.on("hands", { add: showHand, change: showHand, remove: showHand })
room.onDrop(() => (notice.textContent = "The connection is gone. Trying again …"))
room.onReconnect(() => (notice.textContent = ""))
room.onLeave((_code, reason) => (notice.textContent = `You have left the table: ${reason}`))

showTable()
if (room.state.seats.size < SeatsMax) await ask(room.request("sit", {}))
