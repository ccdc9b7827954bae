import type { ClientRoom } from "@atrium/sdk/client"

import { onPaper, type Point } from "./Line.ts"
import { NoteBytesMax, Paper, type whiteboard } from "./schema.ts"
import { type Ink, pointOf } from "./Sheet.ts"

type Room = ClientRoom<typeof whiteboard>

interface Note {
  readonly id: number
  readonly x: number
  readonly y: number
  /** `undefined` = an ink that this page is too old to know. */
  readonly ink: Ink | undefined
  readonly text: string
}

interface Shown {
  readonly box: HTMLElement
  readonly text: HTMLTextAreaElement
}

/** Some 12 writes a second while a note is carried or written: a client has 35. */
const WriteEveryMs = 80

/** Notes on the paper. Only who owns one changes it: who wants to asks for it first. */
export class Notes {
  readonly #paper: HTMLElement
  readonly #room: Room
  readonly #tell: (error: unknown) => void
  readonly #shown = new Map<number, Shown>()
  /** Notes that this person carries or writes right now, and does not give away. */
  readonly #held = new Set<number>()
  readonly #next = new Map<number, Partial<Omit<Note, "id" | "ink">>>()

  constructor(paper: HTMLElement, room: Room, tell: (error: unknown) => void) {
    this.#paper = paper
    this.#room = room
    this.#tell = tell
    room.onOwnAsked(({ collection, id }) => collection !== "notes" || !this.#held.has(id))
    setInterval(() => this.#write(), WriteEveryMs)
  }

  /** Makes what is shown the same as what is there. */
  show(notes: Iterable<Note>): void {
    const there = new Set<number>()
    for (const note of notes) {
      there.add(note.id)
      const shown = this.#shown.get(note.id) ?? this.#add(note)
      this.#place(shown.box, note)
      if (document.activeElement !== shown.text) shown.text.value = note.text
    }
    for (const [id, { box }] of this.#shown) {
      if (there.has(id)) continue
      box.remove()
      this.#shown.delete(id)
      this.#held.delete(id)
    }
  }

  async add(at: Point, ink: Ink): Promise<void> {
    const id = await this.#room.add("notes", { ...at, ink })
    this.#shown.get(id)?.text.focus()
  }

  #add({ id, ink = "ink" }: Note): Shown {
    const box = document.createElement("section")
    box.className = "note"
    box.style.setProperty("--mine", `var(--${ink})`)
    box.innerHTML =
      '<div class="grip"><span>⠿</span><button type="button" aria-label="Remove">×</button></div>'
    const text = document.createElement("textarea")
    text.setAttribute("aria-label", "Note")
    box.append(text)
    this.#paper.append(box)
    const shown = { box, text }
    this.#shown.set(id, shown)
    this.#listen(id, shown)
    return shown
  }

  #listen(id: number, { box, text }: Shown): void {
    const grip = box.querySelector(".grip")
    grip?.addEventListener("pointerdown", (event) => {
      if (event instanceof PointerEvent && event.target !== box.querySelector("button")) {
        void this.#carry(id, grip, event)
      }
    })
    box.querySelector("button")?.addEventListener("click", async () => {
      if (await this.#mine(id)) await this.#room.remove("notes", id).catch(this.#tell)
    })
    text.addEventListener("focus", async () => {
      this.#held.add(id)
      if (!(await this.#mine(id))) text.blur()
    })
    text.addEventListener("blur", () => this.#held.delete(id))
    text.addEventListener("input", () => {
      text.value = fitting(text.value)
      this.#change(id, { text: text.value })
    })
  }

  /** Whether the note is one's own, now or after its owner was asked. */
  async #mine(id: number): Promise<boolean> {
    const box = this.#shown.get(id)?.box
    if (this.#room.owns("notes", id)) return true
    box?.classList.remove("refused")
    box?.classList.add("asking")
    const granted = await this.#room.own("notes", id).catch(() => false)
    box?.classList.remove("asking")
    if (!granted) box?.classList.add("refused")
    return granted
  }

  async #carry(id: number, grip: Element, event: PointerEvent): Promise<void> {
    event.preventDefault()
    grip.setPointerCapture(event.pointerId)
    const note = this.#room.state.notes.get(id)
    if (note === undefined) return
    const from = pointOf(this.#paper, event)
    const [left, top] = [note.x - from.x, note.y - from.y]
    let [at, mine] = [from, false]
    const move = (moved: Event): void => {
      if (!(moved instanceof PointerEvent)) return
      at = pointOf(this.#paper, moved)
      if (mine) this.#change(id, onPaper({ x: at.x + left, y: at.y + top }))
    }
    this.#held.add(id)
    grip.addEventListener("pointermove", move)
    const end = (): void => {
      grip.removeEventListener("pointermove", move)
      if (document.activeElement !== this.#shown.get(id)?.text) this.#held.delete(id)
    }
    grip.addEventListener("lostpointercapture", end, { once: true })
    mine = await this.#mine(id)
    if (mine) this.#change(id, onPaper({ x: at.x + left, y: at.y + top }))
  }

  #place(box: HTMLElement, note: Note): void {
    // What was not written yet is where this person has it.
    const { x = note.x, y = note.y } = this.#next.get(note.id) ?? {}
    box.style.left = `${(100 * x) / Paper.width}%`
    box.style.top = `${(100 * y) / Paper.height}%`
  }

  #change(id: number, values: Partial<Omit<Note, "id" | "ink">>): void {
    this.#next.set(id, { ...this.#next.get(id), ...values })
    const [box, note] = [this.#shown.get(id)?.box, this.#room.state.notes.get(id)]
    if (box !== undefined && note !== undefined) this.#place(box, note)
  }

  #write(): void {
    for (const [id, values] of this.#next) {
      if (this.#room.owns("notes", id)) this.#room.set("notes", id, values).catch(this.#tell)
    }
    this.#next.clear()
  }
}

/** The text, without its last characters where it is too long for the field. */
const fitting = (text: string): string => {
  const characters = [...text]
  while (new TextEncoder().encode(characters.join("")).length > NoteBytesMax) characters.pop()
  return characters.join("")
}
