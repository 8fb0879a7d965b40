(try_statement (catch_clause type: (_) @caught) (#match? @caught "\\b(Error|Throwable)\\b")) @handled
([(if_statement condition: (_) @tested) (conditional_expression condition: (_) @tested) (binary_expression left: (_) @tested)] @handled.named
  (#match? @tested "\\b(function|class|interface|trait|enum|method|property)_exists\\b|\\bdefined\\b|\\bis_callable\\b"))
