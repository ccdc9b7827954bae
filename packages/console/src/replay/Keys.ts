import { useEffect } from "preact/hooks"

import { type Controls, speeds } from "./Controls.ts"
import type { AnyReplay } from "./Shown.ts"

const [stepMs, fineMs] = [5000, 100]

/** Moves the replay by the keyboard, wherever the focus is but in a part that has the key for itself. */
export const useKeys = (replay: AnyReplay, controls: Controls): void => {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || isOwn(event)) return
      if (act(event.key, replay, controls)) event.preventDefault()
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  })
}

/** A button has the space for itself, a choice and a text all keys. */
const isOwn = ({ target, key }: KeyboardEvent): boolean => {
  if (!(target instanceof HTMLElement)) return false
  if (target.tagName === "INPUT") return target.getAttribute("type") !== "range"
  return target.tagName === "SELECT" || (target.tagName === "BUTTON" && key === " ")
}

/** @returns whether the key means something */
export const act = (
  key: string,
  replay: Pick<AnyReplay, "paused" | "positionMs" | "durationMs" | "speed">,
  controls: Controls
): boolean => {
  const { positionMs, durationMs, speed } = replay
  switch (key) {
    case " ":
    case "k":
      controls.play(replay.paused)
      return true
    case "ArrowLeft":
      controls.seek(positionMs - stepMs)
      return true
    case "ArrowRight":
      controls.seek(positionMs + stepMs)
      return true
    case ",":
      controls.seek(positionMs - fineMs)
      return true
    case ".":
      controls.seek(positionMs + fineMs)
      return true
    case "Home":
      controls.seek(0)
      return true
    case "End":
      controls.seek(durationMs)
      return true
    case "<":
      controls.speed(speeds.findLast((each) => each < speed) ?? speed)
      return true
    case ">":
      controls.speed(speeds.find((each) => each > speed) ?? speed)
      return true
    default:
      return false
  }
}
