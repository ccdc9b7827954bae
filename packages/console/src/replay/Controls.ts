/** The actions of the buttons and the keys. */
export interface Controls {
  play(wanted: boolean): void
  /** To a moment, in milliseconds after the start. */
  seek(toMs: number): void
  speed(speed: number): void
}

/** Speeds that the page offers. */
export const speeds = [0.25, 0.5, 1, 2, 4, 8] as const
