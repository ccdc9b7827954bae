import { Client, RequestError } from "@atrium/sdk/client"

import { cornersOf, fewCorners, type Point } from "./Line.ts"
import { Notes } from "./Notes.ts"
import { type Hand, Others, packHand } from "./Others.ts"
import { Inks, whiteboard } from "./schema.ts"
import { colourOf, type Ink, pointOf, Sheet } from "./Sheet.ts"

// index.html?room=ours&name=Ann

const asked = new URLSearchParams(location.search)
const animals = ["Otter", "Heron", "Badger", "Lynx", "Swift", "Newt", "Robin", "Hare"] as const
const chosen = <T>(list: readonly [T, ...ReadonlyArray<T>]): T => {
  const [chance = 0] = crypto.getRandomValues(new Uint32Array(1))
  return list[chance % list.length] ?? list[0]
}

const SayEveryMs = 50
const StillHereEveryMs = 2000

const element = <E extends Element>(id: string, kind: new () => E): E => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

const told = element("told", HTMLDivElement)
let toldUntilMs = 0
const say = (text: string, forMs = 4000): void => {
  told.textContent = text
  toldUntilMs = performance.now() + forMs
}

const words: Readonly<Record<string, string>> = {
  E_STATE_CAP: "The board is full. Undo some strokes or remove notes.",
  E_RECORD_CAP: "The board is full. Undo some strokes or remove notes.",
  E_WRITE_RATE: "That was too fast for the room.",
  E_NOT_OWNER: "Somebody else has that."
}
const tell = (error: unknown): void => {
  if (!(error instanceof RequestError)) throw error
  say(words[error.code] ?? error.message)
}

/** What index.html says in its `<meta>`; the build writes the service and the project there. */
const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="atrium-${name}"]`)?.content ?? ""

say("Joining …")
const client = new Client(setting("service") || location.origin, {
  project: setting("project") || "dev"
})
const room = await client
  .joinOrCreate(whiteboard, { roomId: asked.get("room") ?? "whiteboard" })
  .catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error), Infinity)
    throw error
  })
say("")

const canvas = element("sheet", HTMLCanvasElement)
const paper = element("paper", HTMLDivElement)
const noteButton = element("note", HTMLButtonElement)
const sheet = new Sheet(canvas)
const notes = new Notes(paper, room, tell)
const others = new Others()
const name = asked.get("name") ?? chosen(animals)
let ink: Ink = chosen(Inks)
let at: Point = { x: 0, y: 0 }
/** What is drawn right now. */
let line: ReadonlyArray<Point> = []
/** Lines that the room has not answered yet: they stay in sight. */
const sent = new Set<Pick<Hand, "ink" | "line">>()
let [changed, saidAtMs] = [true, -StillHereEveryMs]

const choose = (wanted: Ink): void => {
  ink = wanted
  for (const button of element("inks", HTMLDivElement).querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.title === ink))
  }
  changed = true
}
for (const each of Inks) {
  const button = document.createElement("button")
  button.className = "ink"
  button.type = "button"
  button.title = each
  button.style.setProperty("--mine", `var(--${each})`)
  button.addEventListener("click", () => choose(each))
  element("inks", HTMLDivElement).append(button)
}
choose(ink)

const noteMode = (on: boolean): void => noteButton.setAttribute("aria-pressed", String(on))
noteButton.addEventListener("click", () =>
  noteMode(noteButton.getAttribute("aria-pressed") === "false")
)

canvas.addEventListener("pointerdown", (event) => {
  at = pointOf(canvas, event)
  if (noteButton.getAttribute("aria-pressed") === "true") {
    event.preventDefault()
    noteMode(false)
    notes.add(at, ink).catch(tell)
    return
  }
  canvas.setPointerCapture(event.pointerId)
  line = [at]
})
paper.addEventListener("pointermove", (event) => {
  at = pointOf(canvas, event)
  changed = true
  if (line.length > 0) line = [...line, at]
})
canvas.addEventListener("lostpointercapture", () => {
  if (line.length === 0) return
  const drawn = { ink, line }
  line = []
  changed = true
  sent.add(drawn)
  room
    .add("strokes", { ink, corners: cornersOf(drawn.line) })
    .catch(tell)
    .finally(() => sent.delete(drawn))
})

element("undo", HTMLButtonElement).addEventListener("click", () => {
  const mine = [...room.state.strokes].findLast(({ id }) => room.owns("strokes", id))
  if (mine === undefined) say("There is no stroke of yours.")
  else room.remove("strokes", mine.id).catch(tell)
})

room.onSent(({ from, data }) => others.hear(from, data, performance.now()))
room.onStateChange((state) => notes.show(state.notes))
notes.show(room.state.notes)
room.onDrop(() => say("The connection is gone. Trying again …", Infinity))
room.onReconnect(() => say("Here again."))
room.onError((_code, message) => say(message))
room.onLeave((_code, reason) => say(`The room is closed to you: ${reason}`, Infinity))

/** Where this person is and what is being drawn; also without news, so that the others know. */
setInterval(() => {
  const nowMs = performance.now()
  if (!room.connected || (!changed && nowMs - saidAtMs < StillHereEveryMs)) return
  changed = false
  saidAtMs = nowMs
  room.send(null, packHand({ name, ink, at, line: fewCorners(line) }))
}, SayEveryMs)

const people = element("people", HTMLDivElement)
const showPeople = (list: ReadonlyArray<Pick<Hand, "name" | "ink">>): void => {
  const text = JSON.stringify(list.map((each) => [each.name, each.ink]))
  if (people.dataset["shown"] === text) return
  people.dataset["shown"] = text
  people.replaceChildren(
    ...list.map((each) => {
      const person = document.createElement("span")
      person.className = "person"
      person.style.setProperty("--mine", colourOf(each.ink))
      person.textContent = each.name
      return person
    })
  )
}

const frame = (): void => {
  const nowMs = performance.now()
  const hands = others.list(nowMs)
  sheet.draw(room.state.strokes)
  for (const drawn of sent) sheet.line(drawn)
  sheet.line({ ink, line })
  for (const hand of hands) sheet.hand(hand)
  showPeople([{ name: `${name} (you)`, ink }, ...hands])
  if (nowMs > toldUntilMs) told.textContent = ""
  requestAnimationFrame(frame)
}
frame()
