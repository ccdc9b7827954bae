/**
 * What a client sees of the state for which every `visibleTo` is false. Replays record this and nothing else, so that a
 * link to a clip shows no more than a stranger in the room would have seen.
 */
export interface PublicView {
  /** How many patches it has had. */
  tick(): number
  /** As `StateView.applyFull` reads it. Throws while changes are pending. */
  encodeFull(): Uint8Array
}
