/** One event of a stream. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
  /** Absent = the stream gave none with it. */
  readonly id?: string
}

/** Longest event that is taken, in UTF-16 units: the state of a room, in base64. */
const eventUnitsMax = 64 * 1024 * 1024

/** Reads server-sent events out of the parts of an answer, wherever it was cut. Source: HTML, "Server-sent events". */
export class EventReader {
  #rest: Array<string> = []
  #restUnits = 0
  #event = ""
  #data: Array<string> = []
  #dataUnits = 0
  #id: string | undefined
  /** A part ended with a carriage return: a line feed that comes next belongs to it. */
  #afterReturn = false

  /** @returns the events that the part completes. Throws for an event that is too long. */
  read(part: string): ReadonlyArray<StreamEvent> {
    const events: Array<StreamEvent> = []
    let from = this.#afterReturn && part.startsWith("\n") ? 1 : 0
    if (part !== "") this.#afterReturn = false
    const ends = /\r\n|\r|\n/g
    ends.lastIndex = from
    for (let end = ends.exec(part); end !== null; end = ends.exec(part)) {
      const event = this.#line([...this.#rest, part.slice(from, end.index)].join(""))
      if (event !== null) events.push(event)
      this.#rest = []
      this.#restUnits = 0
      from = ends.lastIndex
      if (end[0] === "\r" && from === part.length) this.#afterReturn = true
    }
    if (from < part.length) {
      this.#rest.push(part.slice(from))
      this.#restUnits += part.length - from
    }
    if (this.#restUnits + this.#dataUnits > eventUnitsMax) throw new Error("an event is too long")
    return events
  }

  #line(line: string): StreamEvent | null {
    if (line === "") return this.#end()
    const colon = line.indexOf(":")
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (name === "event") this.#event = value
    if (name === "id") this.#id = value
    if (name === "data") {
      this.#data.push(value)
      this.#dataUnits += value.length
    }
    return null
  }

  #end(): StreamEvent | null {
    const [event, data, id] = [this.#event, this.#data, this.#id]
    this.#event = ""
    this.#data = []
    this.#dataUnits = 0
    this.#id = undefined
    if (data.length === 0) return null
    const named = { event: event === "" ? "message" : event, data: data.join("\n") }
    return id === undefined ? named : { ...named, id }
  }
}
