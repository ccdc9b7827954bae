import type { FollowState } from "../service/Follow.ts"

/** Whether what is shown follows the service. */
export const LiveMark = ({ state }: { state: FollowState }) => {
  const [text, tone] = textOf(state)
  return (
    <span class={`live ${tone}`} role="status">
      {text}
    </span>
  )
}

const textOf = (state: FollowState): readonly [string, string] => {
  switch (state) {
    case "live":
      return ["live", "on"]
    case "connecting":
      return ["connecting", ""]
    case "paused":
      return ["paused", ""]
    default:
      return state.status === 0 ? ["not connected", "off"] : ["not live", "off"]
  }
}
