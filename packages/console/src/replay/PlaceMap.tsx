import { type Signal, useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

import { Tenant } from "../parts/Tenant.tsx"
import { countText } from "../text/Numbers.ts"
import { type Area, areaWith, type PlacedCollection, placeIn, placesOf } from "./Places.ts"
import type { AnyReplay } from "./Shown.ts"

/** Colours of collections, as far as they go. */
const colours = ["--one", "--two", "--three", "--six"] as const

interface Props {
  readonly replay: AnyReplay
  /** It is drawn anew with each change of one of these. */
  readonly position: Signal<number>
  readonly state: Signal<number>
}

/** The entities that have `x` and `y`, from above: x to the right, y down. */
export const PlaceMap = ({ replay, position, state }: Props) => {
  const looks = useSignal(0)
  const canvas = useRef<HTMLCanvasElement>(null)
  const area = useRef<Area | null>(null)
  const places = placesOf(replay.state)
  const says = places.map(({ name, points }) => `${points.length} ${name}`).join(", ")
  useEffect(() => {
    area.current = areaWith(area.current, places)
    if (canvas.current !== null && area.current !== null) {
      drawOn(canvas.current, area.current, places)
    }
  }, [position.value, state.value, looks.value])
  useEffect(() => whenLooksChange(canvas.current, () => looks.value++), [])
  return (
    <figure class="map">
      <canvas ref={canvas} role="img" aria-label={`A map of ${says}`} />
      <figcaption class="keys">
        {places.map(({ name, points, left }, at) => (
          <span key={name} class={`key map-key-${at % colours.length}`}>
            <Tenant text={name} max={40} /> {countText(points.length + left)}
            {left > 0 && `, ${countText(left)} not drawn`}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

/** Of another size, or in other colours. */
const whenLooksChange = (canvas: HTMLCanvasElement | null, changed: () => void): (() => void) => {
  const sizes = new ResizeObserver(changed)
  if (canvas !== null) sizes.observe(canvas)
  const dark = matchMedia("(prefers-color-scheme: dark)")
  dark.addEventListener("change", changed)
  return () => {
    sizes.disconnect()
    dark.removeEventListener("change", changed)
  }
}

const drawOn = (
  canvas: HTMLCanvasElement,
  area: Area,
  places: ReadonlyArray<PlacedCollection>
): void => {
  const context = canvas.getContext("2d")
  if (context === null) return
  const [width, height] = [canvas.clientWidth, canvas.clientHeight]
  const ratio = devicePixelRatio
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio)
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio)
  const style = getComputedStyle(canvas)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  for (const [at, { points }] of places.entries()) {
    const radius = points.length > 300 ? 2 : 4.5
    context.fillStyle = style.getPropertyValue(colours[at % colours.length] ?? colours[0])
    for (const point of points) {
      const [x, y] = placeIn(area, { width, height }, point)
      context.beginPath()
      context.arc(x, y, radius, 0, 2 * Math.PI)
      context.fill()
    }
  }
}
