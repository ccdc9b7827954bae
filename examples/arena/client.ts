import { Client, RequestError } from "@atrium/sdk/client"
import type { BoardRow } from "@atrium/sdk/leaderboard"

import { readBestRounds } from "./BestRounds.ts"
import { animalOf, colourOf, Field, nameOf, type Player, type Point, type State } from "./Field.ts"
import { arena } from "./schema.ts"
import { offerVoice } from "./Voice.ts"

const SendEveryMs = 50
const LinesMax = 50
const BoardEveryMs = 2000
/** Nearer than this to the pointer, a player stands still. */
const NearUnits = 0.7

const element = <E extends Element>(id: string, kind: new () => E): E => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

/** What index.html says in its `<meta>`; the build writes the service and the project there. */
const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="atrium-${name}"]`)?.content ?? ""

const notice = element("notice", HTMLParagraphElement)
element("second", HTMLAnchorElement).href = location.href

// Every tab is a player of its own.
const client = new Client(setting("service") || location.origin, {
  project: setting("project") || "dev",
  identity: "tab"
})
notice.textContent = "Joining …"
const room = await client.joinOrCreate(arena).catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error)
  notice.textContent = `The arena is closed: ${reason}`
  throw error
})
notice.textContent = ""

room.onDrop(() => (notice.textContent = "The connection is gone. Trying again …"))
room.onReconnect(() => (notice.textContent = ""))
room.onLeave((_code, reason) => (notice.textContent = `You have left the arena: ${reason}`))
room.onError((_code, message) => (notice.textContent = message))

const ownPlayer = (state: State): Player | undefined =>
  [...state.players].find((player) => player.client === room.sessionId)

const Keys: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  KeyA: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  KeyD: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  KeyW: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
  KeyS: { x: 0, y: 1 }
}
const pressed = new Set<string>()
const words = element("words", HTMLInputElement)
/** Whether a key is meant for the game: it is not typed into the chat, and is no command to the browser. */
const isPlayed = (event: KeyboardEvent): boolean =>
  event.target !== words && !event.ctrlKey && !event.metaKey && !event.altKey
document.addEventListener("keydown", (event) => {
  if (!isPlayed(event) || Keys[event.code] === undefined) return
  event.preventDefault()
  pressed.add(event.code)
})
document.addEventListener("keyup", ({ code }) => pressed.delete(code))

const canvas = element("plane", HTMLCanvasElement)
const field = new Field(canvas)
let pointer: Point | null = null
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId)
  pointer = field.pointOf(event)
})
canvas.addEventListener("pointermove", (event) => {
  if (pointer !== null) pointer = field.pointOf(event)
})
canvas.addEventListener("lostpointercapture", () => (pointer = null))
// Keys that are let go elsewhere are not heard.
window.addEventListener("blur", () => pressed.clear())

/** The wish of this person, at most of length 1. */
const heading = (own: Player): Point => {
  const keys = [...pressed].flatMap((code) => Keys[code] ?? [])
  const sum = keys.reduce((a, b) => ({ x: a.x + b.x, y: a.y + b.y }), { x: 0, y: 0 })
  const wish = pointer === null ? sum : { x: pointer.x - own.x, y: pointer.y - own.y }
  const length = Math.hypot(wish.x, wish.y)
  if (length === 0 || (pointer !== null && length < NearUnits)) return { x: 0, y: 0 }
  return { x: wish.x / length, y: wish.y / length }
}

const sent = { x: 0, y: 0 }
setInterval(() => {
  const own = ownPlayer(room.state)
  if (own === undefined || !room.connected) return
  const { x, y } = heading(own)
  if (Math.abs(x - sent.x) < 0.01 && Math.abs(y - sent.y) < 0.01) return
  Object.assign(sent, { x, y })
  room.send("input", { dx: x, dy: y })
}, SendEveryMs)

const scores = element("scores", HTMLOListElement)
const round = element("round", HTMLParagraphElement)
let scoresShown = ""
room.onStateChange((state) => showScores(state))
const showScores = (state: State): void => {
  const players = [...state.players].toSorted((a, b) => b.coins - a.coins || a.id - b.id)
  const text = JSON.stringify(
    players.map(({ id, coins, rating, away }) => [id, coins, rating, away])
  )
  const found = ownPlayer(state)?.found ?? 0
  round.textContent = `This round: ${found} · ${state.round.secondsLeft} s left`
  if (text === scoresShown) return
  scoresShown = text
  const rows = players.map((player) => {
    const own = player.client === room.sessionId
    const rating = player.rating === 0 ? "" : `, ${player.rating}`
    const row = rowOf((own ? `${nameOf(player)} (you)` : nameOf(player)) + rating, player.coins)
    row.style.setProperty("--mine", colourOf(player))
    row.classList.toggle("away", player.away)
    row.classList.toggle("leads", player.id === state.score.leader)
    return row
  })
  scores.replaceChildren(...rows)
}

const rowOf = (name: string, coins: number): HTMLLIElement => {
  const row = document.createElement("li")
  const count = document.createElement("output")
  count.textContent = String(coins)
  row.append(name, count)
  return row
}
showScores(room.state)

const board = element("board", HTMLOListElement)
const boardNote = element("board-note", HTMLParagraphElement)
const showBoard = (rows: ReadonlyArray<BoardRow>): void => {
  const items = rows.map(({ rank, playerId, score }) => {
    const here = [...room.state.players].find((player) => player.playerId === playerId)
    const name = here === undefined ? animalOf(playerId) : nameOf(here)
    const own = playerId === room.playerId
    const row = rowOf(own ? `${name} (you)` : name, score)
    row.value = rank
    row.classList.toggle("own", own)
    return row
  })
  board.replaceChildren(...items)
  boardNote.textContent = rows.length === 0 ? "Nobody has a round yet: collect a coin." : ""
}

/** What the board has by the count of the room; -1 = it was not read yet. */
let boardOf = -1
const keepBoard = async (): Promise<void> => {
  const { scored } = room.state.round
  if (scored !== boardOf) {
    try {
      showBoard(await readBestRounds(client, room.playerId))
      boardOf = scored
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      const unknown = error.code === "E_BOARD_UNKNOWN"
      boardNote.textContent = unknown
        ? "No board yet: README.md says how to declare it."
        : error.message
      if (unknown) return
    }
  }
  // Boards tell nobody of new scores: the page reads again after the room has counted one.
  setTimeout(keepBoard, BoardEveryMs)
}
void keepBoard()

const lines = element("lines", HTMLOListElement)
room.onMessage("chat", ({ from, text }) => {
  const player = room.state.players.get(from)
  if (player === undefined) return
  const line = document.createElement("li")
  const name = document.createElement("b")
  name.style.setProperty("--mine", colourOf(player))
  name.textContent = nameOf(player)
  line.append(name, ` ${text}`)
  lines.append(line)
  if (lines.children.length > LinesMax) lines.firstElementChild?.remove()
  lines.scrollTop = lines.scrollHeight
})
element("say", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault()
  const text = words.value.trim()
  if (text !== "") room.send("chat", { from: 0, text })
  words.value = ""
})

offerVoice(room, {
  button: element("talk", HTMLButtonElement),
  note: element("voice-note", HTMLParagraphElement),
  isPlayed
})

let drawnAtMs = 0
const frame = (nowMs: number): void => {
  field.draw(room.state, ownPlayer(room.state), nowMs - drawnAtMs)
  drawnAtMs = nowMs
  requestAnimationFrame(frame)
}
requestAnimationFrame(frame)
