// Tables, which scroll on their own where they are wider than the page.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface TableProps {
  /** The name of the table for readers who do not see the page around it. */
  title: string;
  heads: readonly string[];
  look?: "records";
  /** The rows. */
  children: ComponentChildren;
}

export function Table({ title, heads, look, children }: TableProps) {
  const id = useId();
  return (
    <div class="scroll" role="region" aria-labelledby={id} tabindex={0}>
      <table role={look && "table"} class={look}>
        <caption id={id} class="unseen">
          {title}
        </caption>
        <thead role={look && "rowgroup"}>
          <tr role={look && "row"}>
            {heads.map((head) => (
              <th key={head} role={look && "columnheader"} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role={look && "rowgroup"}>{children}</tbody>
      </table>
    </div>
  );
}
