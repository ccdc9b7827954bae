const tones: Readonly<Record<string, "good" | "busy" | "asleep" | "bad">> = {
  awake: "good",
  open: "good",
  starting: "busy",
  restarting: "busy",
  draining: "busy",
  cordoned: "busy",
  hibernated: "asleep",
  drained: "asleep",
  silent: "bad",
  closed: "bad"
}

/** A status, by word and colour. */
export const Status = ({ status }: { status: string }) => (
  <span class={`status ${tones[status] ?? "asleep"}`}>{status}</span>
)
