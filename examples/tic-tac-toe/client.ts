import { Client, type ClientRoom, RequestError } from "@atrium/sdk/client"
import { match } from "@atrium/sdk/match"

import { Board } from "./Board.ts"
import { ticTacToe } from "./schema.ts"

type Table = ClientRoom<typeof ticTacToe>
type State = Table["state"]

const WaitMs = 60_000

const element = <E extends Element>(id: string, kind: new () => E): E => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

/** What index.html says in its `<meta>`; the build writes the service and the project there. */
const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="atrium-${name}"]`)?.content ?? ""

const status = element("status", HTMLParagraphElement)
const why = element("why", HTMLParagraphElement)
const notice = element("notice", HTMLParagraphElement)
const rematch = element("rematch", HTMLButtonElement)
const sit = element("sit", HTMLButtonElement)
const opponent = element("opponent", HTMLButtonElement)
const ownTable = element("table", HTMLButtonElement)
const second = element("second", HTMLAnchorElement)

// Every tab is a player of its own, and stays the same one when it is loaded again.
const client = new Client(setting("service") || location.origin, {
  project: setting("project") || "dev",
  identity: "tab"
})

const board = new Board(element("board", HTMLElement), (cell) =>
  ask(room.request("move", { cell }))
)

// The address names the table, so that it can be sent to a friend: index.html#tic-tac-toe-x7…
// Without a table the page looks for an opponent.
const goTo = (table: string): void => {
  if (location.hash.slice(1) === table) location.reload()
  else location.hash = table
}
window.addEventListener("hashchange", () => location.reload())
opponent.addEventListener("click", () => goTo(""))
ownTable.addEventListener("click", () => goTo("new"))

/** Waits in the queue, and says why; the match is a table that the service has made for two. */
const findOpponent = (): Promise<Table> => {
  status.textContent = "Looking for an opponent …"
  ownTable.hidden = false
  return match(client, ticTacToe, {
    queue: "default",
    waitMs: WaitMs,
    onProgress: (progress) => {
      // The clock of the player's device may be behind that of the service: never a negative wait.
      const waitedMs = Date.now() - progress.since.getTime()
      why.textContent = `For ${Math.max(0, Math.round(waitedMs / 1000))} s: ${progress.why}.`
    }
  })
}

const tableOf = (id: string): Promise<Table> => {
  if (id === "") return findOpponent()
  return id === "new" ? client.create(ticTacToe) : client.joinOrCreate(ticTacToe, { roomId: id })
}

const room = await tableOf(location.hash.slice(1)).catch((error: unknown) => {
  const missed = error instanceof RequestError && error.code === "E_NO_MATCH"
  status.textContent = missed ? "No opponent yet." : "There is no table."
  why.textContent = ""
  notice.textContent = error instanceof Error ? error.message : String(error)
  opponent.textContent = "Look again"
  opponent.hidden = false
  ownTable.hidden = false
  throw error
})
history.replaceState(null, "", `#${room.id}`)
second.href = `#${room.id}`
second.textContent = "Open this table in a second tab"
why.textContent = ""

/** Waits for the room's answer; a broken rule is said in the room's own words. */
const ask = async (request: Promise<unknown>): Promise<void> => {
  notice.textContent = ""
  await request.catch((error: unknown) => {
    if (!(error instanceof RequestError)) throw error
    notice.textContent = error.message
  })
}

rematch.addEventListener("click", () => ask(room.request("rematch", {})))
sit.addEventListener("click", () => ask(room.request("sit", {})))

const seatOf = ({ seats }: State) => [...seats].find(({ playerId }) => playerId === room.playerId)

const statusOf = (state: State): string => {
  const { game } = state
  const own = seatOf(state)?.mark
  if (own !== undefined && state.seats.size < 2) return "Waiting for a second player."
  if (game.phase === "waiting") return "The table is free."
  if (game.phase === "playing") {
    if (own === undefined) return `You watch. ${game.turn} is to move.`
    return game.turn === own
      ? `Your turn: you are ${own}.`
      : `You are ${own}. The other one thinks.`
  }
  if (game.result === "draw") return "A draw."
  const reason = game.abandoned ? ": the other one did not move for ten minutes" : ""
  if (own === undefined) return `${game.result} has won${reason}.`
  return game.result === own ? `You have won${reason}.` : "You have lost."
}

const show = (state: State): void => {
  const { game, seats } = state
  const own = seatOf(state)
  const text = statusOf(state)
  if (status.textContent !== text) status.textContent = text
  board.show(game.cells, game.phase === "playing" && game.turn === own?.mark)
  rematch.hidden = own === undefined || seats.size < 2 || game.phase !== "over"
  rematch.disabled = own?.wantsRematch === true
  rematch.textContent = own?.wantsRematch ? "Waiting for the other one …" : "Play again"
  sit.hidden = own !== undefined || seats.size === 2
  ownTable.hidden = own !== undefined
  opponent.textContent = game.phase === "waiting" ? "Look for somebody else" : "New opponent"
  opponent.hidden = game.phase === "playing" && own !== undefined
}

room.onStateChange(show)
room.onDrop(() => (notice.textContent = "The connection is gone. Trying again …"))
room.onReconnect(() => (notice.textContent = ""))
room.onLeave((_code, reason) => (notice.textContent = `You have left the table: ${reason}`))

show(room.state)
if (room.state.seats.size < 2) await ask(room.request("sit", {}))
