import type { ComponentChildren } from "preact"

import { go } from "../app/Location.ts"

interface Props {
  readonly to: string
  readonly class?: string
  readonly current?: boolean
  readonly title?: string
  readonly children: ComponentChildren
}

/** A link within the console: it loads no page anew. */
export const Link = ({ to, current = false, children, ...rest }: Props) => (
  <a
    href={to}
    {...rest}
    {...(current ? { "aria-current": "page" as const } : {})}
    onClick={(event) => {
      const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0
      if (elsewhere || event.defaultPrevented) return
      event.preventDefault()
      go(to)
    }}
  >
    {children}
  </a>
)
