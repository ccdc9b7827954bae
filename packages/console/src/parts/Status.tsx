const tones: Readonly<Record<string, "good" | "busy" | "asleep" | "bad">> = {
  awake: "good",
  starting: "busy",
  restarting: "busy",
  draining: "busy",
  hibernated: "asleep",
  closed: "bad"
}

/** A status, by word and colour. */
export const Status = ({ status }: { status: string }) => (
  <span class={`status ${tones[status] ?? "asleep"}`}>{status}</span>
)
