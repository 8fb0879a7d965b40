(function_definition "async"? @async name: (identifier) @name return_type: (_)? @result body: (block) @body) @of
(decorated_definition (decorator) @opaque definition: (function_definition name: (identifier) @name) @of
  (#not-match? @opaque "^@(staticmethod|classmethod|(functools\\.)?(lru_cache|cache)\\b|(typing\\.)?(final|override))"))
(function_definition body: (_ (expression_statement (string))? . [(raise_statement) (pass_statement) (expression_statement (ellipsis))] @stub .)) @of
(function_definition body: (_ . (expression_statement (string)) @stub .)) @of
(lambda) @of
(return_statement (_) @gives)
((return_statement) @gives.nothing (#eq? @gives.nothing "return"))
(yield) @yields
(call function: [(identifier) @callee (attribute attribute: (identifier) @callee)]) @call
(if_statement condition: [(_) @is.tested (boolean_operator right: (_) @is.tested) (named_expression value: (_) @is.tested)])
(elif_clause condition: [(_) @is.tested (boolean_operator right: (_) @is.tested)])
(while_statement condition: (_) @is.tested)
(not_operator argument: [(_) @is.tested (parenthesized_expression (named_expression value: (_) @is.tested))])
(boolean_operator left: (_) @is.tested)
(assert_statement . (_) @is.tested)
(conditional_expression . (_) . (_) @is.tested)
(if_clause (_) @is.tested)
(attribute object: (_) @is.member attribute: (identifier) @member)
(subscript value: (_) @is.keyed subscript: (string) @member)
(subscript value: (_) @is.indexed)
(for_statement right: (_) @is.iterated)
(for_in_clause right: (_) @is.iterated)
(comparison_operator (_) operators: ["in" "not in"] . (_) @is.iterated .)
(call function: (identifier) @taker arguments: (argument_list . (_) @is.iterated . (keyword_argument)* .)
  (#any-of? @taker "all" "any" "enumerate" "frozenset" "iter" "len" "list" "max" "min" "reversed" "set" "sorted" "sum" "tuple"))
(call function: (identifier) @taker arguments: (argument_list (_) @is.iterated) (#eq? @taker "zip"))
(call function: (identifier) @taker arguments: (argument_list (_) (_) @is.iterated) (#any-of? @taker "filter" "map"))
(call function: (_ object: (string) attribute: (identifier) @taker) arguments: (argument_list . (_) @is.iterated .) (#eq? @taker "join"))
[(list_splat (_) @is.iterated) (yield "from" (_) @is.iterated)]
(dictionary_splat (_) @is.spread)
(call function: (identifier) @taker arguments: (argument_list . (_) @is.spread . (keyword_argument)* .) (#eq? @taker "dict"))
(list (call function: (list_splat (identifier) @callee)) @call @is.iterated)  ; the grammar takes `[*f()]` for a call of `*f`
(call function: (_) @is.called)
(with_item value: [(_) @is.entered (as_pattern . (_) @is.entered)])
(binary_operator left: (_) @is.operand operator: ["+" "-" "/" "//"] right: [(string) (integer) (float) (list) (list_comprehension)])
(binary_operator left: [(string) (integer) (float) (list) (list_comprehension)] operator: ["+" "-" "/" "//"] right: (_) @is.operand)
(comparison_operator . (_) @is.operand operators: ["<" ">" "<=" ">="] . [(integer) (float) (string)] .)
(match_statement subject: (_) @is.matched)
(expression_statement (call) @is.dropped)
(await (_) @is.awaited) @value
(parenthesized_expression (await (_) @is.awaited)) @value
(assignment left: (identifier) @var right: (_) @is.bound)
(named_expression name: (identifier) @var value: (_) @is.bound)
(augmented_assignment left: (identifier) @var right: (_) @is.bound)
(assignment left: [(pattern_list) (tuple_pattern)] @left right: (_) @is.several)
(comparison_operator . (_) @is.compared ["==" "!="] [(string) (integer) (float) (true) (false) (none)] .)
(comparison_operator . (_) @is.compared ["is" "is not"] [(true) (false) (none)] .)
; dictionaries that are written out, and who asks them for a key
(module (expression_statement (assignment left: (identifier) @name right: (dictionary) @holds)))
(subscript value: (_) @is.asked subscript: (string) @key .)
(comparison_operator ["in" "not in"] . (_) @is.searched)
(comparison_operator (string) @key . ["in" "not in"] . (_) @is.searched)
(call function: (_ object: (_) @is.searched attribute: (identifier) @m) arguments: (argument_list . (string) @key) (#eq? @m "get"))
(assignment left: (subscript value: (_) @is.given))
(augmented_assignment left: (subscript value: (_) @is.given))
(try_statement body: (block) @foreseen (except_clause) @caught (#match? @caught "^except\\s*(:|[^\\n]*(KeyError|LookupError|Exception))"))
(with_statement (with_clause) @with (#match? @with "raises|suppress|KeyError")) @foreseen
