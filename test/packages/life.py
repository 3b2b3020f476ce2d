"""Leads the program beside it through its life by Pulumi's Automation API, and prints what was done, and one output, as JSON."""

import json
import runpy
import sys
from pulumi import automation


file, output = sys.argv[1:]


def program():
    runpy.run_path(file)


stack = automation.create_or_select_stack("dev", project_name="python", program=program, work_dir=".")
preview = stack.preview()
up = stack.up()
again = stack.up()
stack.destroy()
told = {
    "preview": preview.change_summary,
    "up": up.summary.resource_changes,
    "again": again.summary.resource_changes,
    output: up.outputs[output].value,
}
print(json.dumps(told))
