const tones: Readonly<Record<string, "good" | "busy" | "asleep" | "bad">> = {
  awake: "good",
  starting: "busy",
  restarting: "busy",
  draining: "busy",
  hibernated: "asleep",
  closed: "bad",
  quarantined: "bad"
}

interface Room {
  readonly status: string
  readonly quarantined?: number | undefined
}

/** The status of a room, by word and colour. A room in quarantine is closed until a version leads its state on. */
export const Status = ({ room: { status, quarantined } }: { room: Room }) => {
  const word = quarantined === undefined ? status : "quarantined"
  return <span class={`status ${tones[word] ?? "asleep"}`}>{word}</span>
}
