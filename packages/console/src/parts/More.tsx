import { countText } from "../text/Numbers.ts"

/** The button that draws more of a long list. @param left rows that are not drawn yet */
export const More = ({ left, onClick }: { left: number; onClick: () => void }) => (
  <button type="button" class="plain" onClick={onClick}>
    {countText(left)} more
  </button>
)
